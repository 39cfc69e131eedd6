/** Finds or creates the account of somebody whom the identity provider has signed in, and starts a session. */
import type { Logger } from 'pino'
import { startSession } from '../accounts/sign-in.ts'
import { hasUsers, insertUser, type SessionClient } from '../accounts/store.ts'
import type { SingleSignOnConfig } from '../config/single-sign-on.ts'
import type { Clock } from '../lib/clock.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { type ClaimedEmail, decideFirstSignIn, listWantedMemberships, readEmail, readRoleValues } from './claims.ts'
import type { ProviderIdentity } from './provider.ts'
import { SignInRefusal } from './refusal.ts'
import {
  lockAccountByEmail,
  type MembershipChange,
  markSession,
  notePasswordlessUser,
  replaceIdentity,
  setMembership,
  useIdentity,
} from './store.ts'

interface Deps {
  clock: Clock
  db: Database
  log: Logger
  secret: Secret
}

/** Larger ID tokens are not stored. Without one, signing out doesn't sign out at the provider. */
const MAX_STORED_ID_TOKEN_LENGTH = 16_000

/** Two sign-ins of a new person at the same time create one account: the second one begins again and finds it. */
const MAX_TRIES = 3

/** Returns the token of the new session. */
export async function signInAs(
  deps: Deps,
  settings: SingleSignOnConfig,
  identity: ProviderIdentity,
  client: SessionClient,
): Promise<string> {
  let passwordHash: string | undefined
  for (let tries = 1; ; tries++) {
    try {
      const result = await deps.db.transaction(async (q) => {
        const userId = await resolveUser(q, deps, settings, identity, passwordHash)
        if (userId === 'needs password') return undefined
        return startSingleSignOnSession(q, deps, settings, identity, { userId, client })
      })
      if (result !== undefined) {
        for (const change of result.changes) logMembershipChange(deps.log, change)
        return result.token
      }
      passwordHash = await hashUnknownPassword()
    } catch (error) {
      if (tries >= MAX_TRIES || !isLostRace(error)) throw error
    }
  }
}

/** Hashing is slow, so it happens outside the transaction, and only for new accounts. */
export const hashUnknownPassword = () => hashPassword(randomToken())

/** Another request has just created the account, or linked the identity. */
const isLostRace = (error: unknown) =>
  error instanceof IdentityTaken || (error instanceof Problem && error.code === 'validation_failed')

class IdentityTaken extends Error {}

async function resolveUser(
  q: Queries,
  { clock }: Deps,
  { createsUsers }: SingleSignOnConfig,
  identity: ProviderIdentity,
  passwordHash: string | undefined,
): Promise<number | 'needs password'> {
  const now = clock.now()
  const claimed = readEmail(identity.claims)
  const knownUserId = await useIdentity(q, identity, claimed?.email, now)
  if (knownUserId !== undefined) return knownUserId
  const account = claimed && (await lockAccountByEmail(q, claimed.email, identity.issuer))
  if (account?.hasIdentity) {
    // Another sign-in may have linked this identity since the first look.
    const linkedUserId = await useIdentity(q, identity, claimed?.email, now)
    if (linkedUserId !== undefined) return linkedUserId
  }
  const decision = decideFirstSignIn(claimed, account, createsUsers)
  let userId: number
  if (decision === 'link' && account !== undefined) {
    userId = account.id
  } else if (decision === 'create' && claimed !== undefined) {
    if (passwordHash === undefined) return 'needs password'
    userId = await createPasswordlessUser(q, claimed, passwordHash, now)
  } else {
    throw new SignInRefusal(decision === 'link' || decision === 'create' ? 'no account' : decision)
  }
  const { issuer, subject } = identity
  const isLinked = await replaceIdentity(q, userId, { issuer, subject, email: claimed?.email }, now)
  if (!isLinked) throw new IdentityTaken('another sign-in has linked the identity')
  return userId
}

/** The account has no password, and is never an admin of the server. */
export async function createPasswordlessUser(
  q: Queries,
  { email, isVerified }: ClaimedEmail,
  passwordHash: string,
  now: Date,
): Promise<number> {
  // Only the setup link, or the environment, creates the first account.
  if (!(await hasUsers(q))) throw new SignInRefusal('not set up')
  const { id } = await insertUser(q, { email, passwordHash, isAdmin: false, now })
  await notePasswordlessUser(q, id, isVerified ? now : null)
  return id
}

interface LoggedChange {
  user: number
  team: number
  change: MembershipChange
}

async function startSingleSignOnSession(
  q: Queries,
  { clock, secret }: Deps,
  { roleClaim, roleMap }: SingleSignOnConfig,
  { issuer, subject, claims, idToken, providerSession }: ProviderIdentity,
  { userId, client }: { userId: number; client: SessionClient },
): Promise<{ token: string; changes: LoggedChange[] }> {
  const changes: LoggedChange[] = []
  const values = roleClaim === undefined ? [] : readRoleValues(claims, roleClaim)
  for (const { teamId, role } of roleClaim === undefined ? [] : listWantedMemberships(roleMap, values)) {
    const change = await setMembership(q, { teamId, userId, role, now: clock.now() })
    changes.push({ user: userId, team: teamId, change })
  }
  const token = await startSession(q, userId, clock, client)
  const isStored = idToken.length <= MAX_STORED_ID_TOKEN_LENGTH
  await markSession(q, hashToken(token), {
    method: 'single_sign_on',
    issuer,
    subject,
    providerSession,
    idToken: isStored ? secret.seal('single sign-on', userId, idToken) : undefined,
  })
  return { token, changes }
}

function logMembershipChange(log: Logger, { change, ...ids }: LoggedChange): void {
  if (change === 'no team') log.warn(ids, 'the role map of single sign-on names a team that does not exist')
  else if (change === 'last owner') log.warn(ids, 'single sign-on did not change the role of the last owner of a team')
  else if (change !== 'none') log.info({ ...ids, change }, 'single sign-on changed a membership')
}
