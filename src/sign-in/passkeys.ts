/** Adds and removes passkeys of the caller's own account, and signs in with passkeys. */
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { startSession } from '../accounts/sign-in.ts'
import { lockUserForSignIn, type SessionClient, type UserRow } from '../accounts/store.ts'
import type { Clock } from '../lib/clock.ts'
import { notFound, Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Database } from '../storage/database.ts'
import type { Tenant } from '../storage/tenant.ts'
import { createAttempt, findAttempt, type PasskeyChallenge, takeAttempt } from './attempts.ts'
import {
  canSignInWithoutPasskey,
  deletePasskeyRow,
  findPasskeyByCredential,
  findPasskeyUser,
  insertPasskey,
  listCredentials,
  notePasskeyUse,
  type PasskeyRow,
} from './passkey-store.ts'
import type { RelyingParty } from './relying-party.ts'
import {
  noteNewFactor,
  renewRecoveryCodes,
  requireSecondFactorsOnAllNodes,
  weakenSessionsWithoutFactor,
} from './second-factors.ts'
import { signInEndedProblem } from './sign-in.ts'
import { countSecondFactors, lockOwnUser } from './store.ts'
import { createEnrolmentOptions, createSignInOptions, verifyEnrolment, verifyUse } from './webauthn.ts'

const MAX_PASSKEYS = 20

interface Deps {
  clock: Clock
  db: Database
  secret: Secret
}

const toChallenge = ({ id, origin }: RelyingParty, challenge: string): PasskeyChallenge => ({
  challenge,
  relyingPartyId: id,
  origin,
})

export async function beginEnrolment(
  tenant: Tenant,
  deps: Deps,
  { userId, sessionId }: SessionCaller,
  relyingParty: RelyingParty,
) {
  await requireSecondFactorsOnAllNodes(deps.db)
  const user = await findPasskeyUser(tenant)
  if (user === undefined) throw notFound()
  const credentials = await listCredentials(tenant, userId)
  requireSpace(credentials.length)
  const handle = new Uint8Array(toHandle(user.passkey_handle))
  const options = await createEnrolmentOptions(relyingParty, { email: user.email, handle }, credentials)
  const data = { ...toChallenge(relyingParty, options.challenge), userId, sessionId }
  const { token } = await createAttempt(deps.db, deps, 'passkey enrolment', data)
  return { attempt: token, options }
}

/** A UUID as bytes. */
const toHandle = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')

function requireSpace(count: number): void {
  if (count >= MAX_PASSKEYS) {
    throw new Problem('conflict', `You already have ${MAX_PASSKEYS} passkeys, the maximum. Remove one first.`)
  }
}

/** Returns new recovery codes if the account has none. */
export async function finishEnrolment(
  tenant: Tenant,
  deps: Deps,
  caller: SessionCaller,
  input: { attempt: string; credential: RegistrationResponseJSON; name: string },
): Promise<{ passkey: PasskeyRow; recoveryCodes: string[] | null }> {
  const attempt = await takeAttempt(deps.db, deps, 'passkey enrolment', input.attempt)
  if (attempt === undefined || attempt.userId !== caller.userId || attempt.sessionId !== caller.sessionId) {
    throw new Problem('conflict', 'Adding the passkey took too long. Begin again.')
  }
  const verified = await verifyEnrolment(input.credential, attempt)
  if (verified === undefined)
    throw new Problem('conflict', 'The browser sent a passkey that is not valid. Begin again.')
  const { transports = [] } = input.credential.response
  return tenant.transaction(async (q) => {
    await lockOwnUser(q)
    const before = await countSecondFactors(q, caller.userId)
    requireSpace(before.passkeys)
    const passkey = await insertPasskey(q, { ...verified, transports, name: input.name, now: deps.clock.now() })
    if (!before.has_totp && before.passkeys === 0) await noteNewFactor(q, caller)
    const recoveryCodes = before.recovery_codes > 0 ? null : await renewRecoveryCodes(q, deps, caller.userId)
    return { passkey, recoveryCodes }
  })
}

export async function removePasskey(tenant: Tenant, { userId }: SessionCaller, id: number): Promise<void> {
  await tenant.transaction(async (q) => {
    await lockOwnUser(q)
    if (!(await deletePasskeyRow(q, id))) throw notFound()
    const { passkeys } = await countSecondFactors(q, userId)
    if (passkeys === 0 && !(await canSignInWithoutPasskey(q))) {
      throw new Problem('conflict', 'You have no password, so you need this passkey to sign in. Add another one first.')
    }
    await weakenSessionsWithoutFactor(q, userId)
  })
}

/** With the token of a sign-in that waits for the second factor, only passkeys of that account are accepted. */
export async function beginPasskeySignIn(deps: Deps, relyingParty: RelyingParty, token: string | undefined) {
  const secondFactor = token === undefined ? undefined : await findAttempt(deps.db, deps, 'second factor', token)
  if (token !== undefined && secondFactor === undefined) throw signInEndedProblem()
  const credentials = secondFactor && (await listCredentials(deps.db, secondFactor.userId))
  const options = await createSignInOptions(relyingParty, credentials)
  const data = { ...toChallenge(relyingParty, options.challenge), token: token ?? null }
  const { token: attempt } = await createAttempt(deps.db, deps, 'passkey sign-in', data)
  return { attempt, options }
}

/** The same for every reason, so that nobody learns which passkeys and accounts exist. */
const refusedPasskeyProblem = () =>
  new Problem('unauthenticated', 'This passkey was not accepted. Try again, or sign in another way.')

export async function finishPasskeySignIn(
  deps: Deps,
  input: { attempt: string; credential: AuthenticationResponseJSON },
  client: SessionClient,
): Promise<{ user: UserRow; sessionToken: string }> {
  const { clock, db } = deps
  const { credential } = input
  // The challenge is used up, even if the passkey turns out to be wrong.
  const attempt = await takeAttempt(db, deps, 'passkey sign-in', input.attempt)
  if (attempt === undefined) throw signInEndedProblem()
  const { token } = attempt
  const secondFactor = token === null ? undefined : await findAttempt(db, deps, 'second factor', token)
  if (token !== null && secondFactor === undefined) throw signInEndedProblem()
  const passkey = await findPasskeyByCredential(db, Buffer.from(credential.id, 'base64url'))
  if (passkey === undefined) throw refusedPasskeyProblem()
  const isRightUser = secondFactor === undefined || secondFactor.userId === passkey.user_id
  const { userHandle } = credential.response
  // Without an email, the passkey must say whose it is. Some security keys don't say so after a password.
  const isRightHandle =
    userHandle === undefined || userHandle === null
      ? secondFactor !== undefined
      : toHandle(passkey.passkey_handle).equals(Buffer.from(userHandle, 'base64url'))
  if (!isRightUser || !isRightHandle) throw refusedPasskeyProblem()
  const requiresUserVerification = secondFactor === undefined
  const verified = await verifyUse(credential, passkey, attempt, { requiresUserVerification })
  if (verified === undefined) throw refusedPasskeyProblem()
  return db.transaction(async (q) => {
    const user = await lockUserForSignIn(q, passkey.user_id, secondFactor?.passwordHash ?? null)
    if (user === undefined) throw signInEndedProblem()
    if (!(await notePasskeyUse(q, { id: passkey.id, ...verified, now: clock.now() }))) throw refusedPasskeyProblem()
    if (token !== null && !(await takeAttempt(q, deps, 'second factor', token))) throw signInEndedProblem()
    const method = token === null ? 'passkey' : 'password'
    return { user, sessionToken: await startSession(q, user.id, clock, { ...client, method, isStrong: true }) }
  })
}
