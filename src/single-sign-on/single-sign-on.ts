/** Signs people in through the identity provider, and links their accounts. */
import type { Logger } from 'pino'
import type { SessionClient } from '../accounts/store.ts'
import type { Config } from '../config/config.ts'
import type { SingleSignOnConfig } from '../config/single-sign-on.ts'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import { SINGLE_SIGN_ON_CALLBACK_PATH } from '../server-settings/describe-settings.ts'
import type { Caller, SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import type { ChangeOrigin } from '../storage/tenant.ts'
import { readEmail } from './claims.ts'
import { LogoutTokenVerifier, MAX_LOGOUT_TOKEN_AGE_SECONDS } from './logout-token.ts'
import { CLOCK_TOLERANCE_SECONDS, Provider } from './provider.ts'
import { SignInRefusal } from './refusal.ts'
import { signInAs } from './sign-in.ts'
import { deleteSessionsOf, findIdToken, insertAttempt, noteLogoutToken, replaceIdentity, takeAttempt } from './store.ts'

/** How long somebody can take to sign in at the provider. */
export const ATTEMPT_LIFETIME_SECONDS = 600
/** Signing out must not wait long for a provider that is down. */
const LOGOUT_WAIT_MS = 3_000

const NO_OWNER_ID = 0

export interface SingleSignOnDeps {
  clock: Clock
  config: Config
  db: Database
  log: Logger
  secret: Secret
}

/** A sign-in that has begun. It is stored encrypted. */
interface Attempt {
  issuer: string
  nonce: string
  verifier: string
  /** A path of this server. */
  returnTo: string
  /** The session that wants to link its account. undefined: a sign-in. */
  linkFor?: { userId: number; sessionId: number }
}

/** `token` is that of the new session. undefined: an account was linked. */
interface FinishedSignIn {
  token: string | undefined
  returnUrl: string
}

export class SingleSignOn {
  readonly #deps: SingleSignOnDeps
  #provider: { key: string; provider: Provider; logoutTokens: LogoutTokenVerifier } | undefined

  constructor(deps: SingleSignOnDeps) {
    this.#deps = deps
  }

  get settings(): SingleSignOnConfig | undefined {
    return this.#deps.config.singleSignOn
  }

  /** The address that the provider has to know. null if the public URL is not set. */
  get redirectUrl(): string | null {
    const { url } = this.#deps.config
    return url === undefined ? null : `${url}${SINGLE_SIGN_ON_CALLBACK_PATH}`
  }

  /** The provider of the current settings, and these settings. */
  #requireProvider() {
    const { settings } = this
    const { clock } = this.#deps
    if (settings === undefined) throw new SignInRefusal('off')
    const key = JSON.stringify(settings)
    if (this.#provider?.key !== key) {
      const provider = new Provider(settings, clock)
      this.#provider = { key, provider, logoutTokens: new LogoutTokenVerifier(provider, clock) }
    }
    return { ...this.#provider, settings }
  }

  /** `browser` is a random token in a cookie: only the browser that has begun a sign-in can finish it. */
  async begin(input: { browser: string; returnTo: string; linkFor?: SessionCaller }): Promise<string> {
    const { clock, db, secret } = this.#deps
    const { provider, settings } = this.#requireProvider()
    const redirectUrl = this.#requireRedirectUrl()
    const { browser, returnTo, linkFor } = input
    const proof = { state: randomToken(), nonce: randomToken(), verifier: randomToken() }
    const url = await provider.startSignIn(redirectUrl, proof)
    const attempt: Attempt = {
      issuer: settings.issuer,
      nonce: proof.nonce,
      verifier: proof.verifier,
      returnTo,
      ...(linkFor && { linkFor: { userId: linkFor.userId, sessionId: linkFor.sessionId } }),
    }
    await insertAttempt(db, {
      tokenHash: hashAttempt(proof.state, browser),
      data: secret.seal('single sign-on', NO_OWNER_ID, JSON.stringify(attempt)),
      expiresAt: addMs(clock.now(), ATTEMPT_LIFETIME_SECONDS * 1000),
    })
    return url
  }

  /** `search` is the query that the provider sent the browser back with. */
  async finish(input: {
    browser: string | undefined
    search: string
    caller: Caller | undefined
    client: SessionClient
    origin: ChangeOrigin
  }): Promise<FinishedSignIn> {
    const { clock, config } = this.#deps
    const db = this.#deps.db.recordingOrigin(input.origin)
    const { provider, settings } = this.#requireProvider()
    const callbackUrl = new URL(this.#requireRedirectUrl())
    callbackUrl.search = input.search
    const state = callbackUrl.searchParams.get('state') ?? ''
    const attempt = await this.#takeAttempt(state, input.browser)
    if (attempt.issuer !== settings.issuer) throw new SignInRefusal('begin again')
    const { nonce, verifier, returnTo, linkFor } = attempt
    const identity = await provider.finishSignIn(callbackUrl, { state, nonce, verifier })
    const returnUrl = `${config.url}${returnTo}`
    if (linkFor === undefined) {
      return { token: await signInAs({ ...this.#deps, db }, settings, identity, input.client), returnUrl }
    }
    const { caller } = input
    const isSameSession = caller?.sessionId === linkFor.sessionId && caller.userId === linkFor.userId
    if (!isSameSession) throw new SignInRefusal('session ended')
    const { issuer, subject, claims } = identity
    const email = readEmail(claims)?.email
    const isLinked = await db
      .as({ ...caller, right: 'account', origin: input.origin })
      .transaction((q) => replaceIdentity(q, caller.userId, { issuer, subject, email }, clock.now()))
    if (!isLinked) throw new SignInRefusal('taken')
    return { token: undefined, returnUrl }
  }

  /** Returns the provider's page for signing out, for a session that came from there. Never fails. */
  async findLogoutUrl({ sessionId, userId }: SessionCaller): Promise<string | undefined> {
    const { config, db, log, secret } = this.#deps
    if (this.settings === undefined || config.url === undefined) return undefined
    try {
      const { provider, settings } = this.#requireProvider()
      const sealed = await findIdToken(db, sessionId, settings.issuer)
      if (sealed === undefined) return undefined
      const idToken = secret.unseal('single sign-on', userId, sealed)
      return await waitAtMost(LOGOUT_WAIT_MS, provider.buildLogoutUrl(idToken, `${config.url}/sign-in`))
    } catch (error) {
      log.warn({ err: error }, 'could not sign out at the identity provider')
      return undefined
    }
  }

  /** Ends the sessions that the token names. Returns false if the token is not valid, or was received before. */
  async endSessions(logoutToken: string): Promise<boolean> {
    const { clock, db, log } = this.#deps
    const { logoutTokens, settings } = this.#requireProvider()
    const notice = await logoutTokens.verify(logoutToken, settings)
    if (notice === undefined) return false
    const { subject, providerSession, tokenId } = notice
    const { issuer } = settings
    const lifetimeSeconds = MAX_LOGOUT_TOKEN_AGE_SECONDS + 2 * CLOCK_TOLERANCE_SECONDS
    const count = await db.transaction(async (q) => {
      const tokenHash = hashToken(`logout ${issuer} ${tokenId}`)
      if (!(await noteLogoutToken(q, tokenHash, addMs(clock.now(), lifetimeSeconds * 1000)))) return undefined
      return deleteSessionsOf(q, { issuer, subject, providerSession })
    })
    if (count === undefined) return false
    log.info({ sessions: count }, 'the identity provider has ended sessions')
    return true
  }

  async #takeAttempt(state: string, browser: string | undefined): Promise<Attempt> {
    const { clock, db, secret } = this.#deps
    if (state === '' || browser === undefined) throw new SignInRefusal('begin again')
    const sealed = await takeAttempt(db, hashAttempt(state, browser), clock.now())
    if (sealed === undefined) throw new SignInRefusal('begin again')
    return JSON.parse(secret.unseal('single sign-on', NO_OWNER_ID, sealed)) as Attempt
  }

  #requireRedirectUrl(): string {
    const { redirectUrl } = this
    if (redirectUrl === null) throw new SignInRefusal('no public URL')
    return redirectUrl
  }
}

/** The state and the browser together: another browser's callback finds nothing, and doesn't use up the attempt. */
const hashAttempt = (state: string, browser: string) => hashToken(`single sign-on ${state} ${browser}`)

/** Returns a path of this server, without the prefix of the public URL. Everything else becomes the start page. */
export function parseReturnTo(text: string | undefined, prefix: string): string {
  const origin = 'http://belfry.invalid'
  const url = text !== undefined && /^\/(?![/\\])/.test(text) ? URL.parse(text, origin) : null
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname + url.search
  const ownPath = prefix !== '' && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
  // A page that begins a sign-in would never end.
  return /^\/(\/|\\|sign-in|api\/)/.test(ownPath) ? '/' : ownPath
}
