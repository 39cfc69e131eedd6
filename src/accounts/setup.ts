/** Creates the first admin: from the environment, or with the setup link that the server prints. */
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { ConfigurationError } from '../lib/startup-error.ts'
import { isSameSecret } from '../lib/token.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { claimInstance, getInstance, storeSecretFingerprintOnce } from './instance-store.ts'
import type { UserRow } from './store.ts'
import { createUser, type NewUser, prepareUser } from './users.ts'

/** Returns undefined once the first admin exists. Until then the token is the same on every node and after every restart. */
export async function findSetupToken(q: Queries, secret: Secret): Promise<string | undefined> {
  const instance = await getInstance(q)
  if (instance.claimed_at !== null) return undefined
  return secret.hmac('setup', instance.id).toString('base64url')
}

/** Returns undefined if the first admin already exists. Claiming locks the instance row, so only one of two concurrent calls succeeds. */
function createFirstAdmin(db: Database, user: NewUser, clock: Clock): Promise<UserRow | undefined> {
  return db.transaction(async (q) => ((await claimInstance(q, clock.now())) ? createUser(q, user, clock) : undefined))
}

function alreadySetUpProblem(): Problem {
  return new Problem('conflict', 'This server is already set up. Sign in instead.')
}

function invalidLinkProblem(): Problem {
  return new Problem('forbidden', 'This setup link is not valid. The server prints the correct link when it starts.')
}

export async function createAdminWithToken(
  db: Database,
  { secret, clock }: { secret: Secret; clock: Clock },
  input: { token: string; email: string; password: string },
): Promise<UserRow> {
  const expectedToken = await findSetupToken(db, secret)
  if (expectedToken === undefined) throw alreadySetUpProblem()
  // Hashing the password is expensive, so only callers with the token get that far.
  if (!isSameSecret(input.token, expectedToken)) throw invalidLinkProblem()
  const user = await prepareUser({ ...input, isAdmin: true })
  const admin = await createFirstAdmin(db, user, clock)
  if (admin === undefined) throw alreadySetUpProblem()
  return admin
}

export async function createAdminFromEnvironment(
  db: Database,
  clock: Clock,
  admin: { email: string; password: string },
): Promise<UserRow | undefined> {
  if ((await getInstance(db)).claimed_at !== null) return undefined
  return createFirstAdmin(db, await prepareUser({ ...admin, isAdmin: true }), clock)
}

/** Refuses a secret other than the one the database was created with, because stored credentials could not be decrypted. */
export async function requireMatchingSecret(q: Queries, secret: Secret): Promise<void> {
  const storedFingerprint = await storeSecretFingerprintOnce(q, secret.fingerprint)
  if (storedFingerprint === secret.fingerprint) return
  throw new ConfigurationError(
    'This database was created with a different secret.',
    'Set BELFRY_SECRET to the original secret (the same on all nodes), or restore the `secret` file from the old data folder.',
  )
}
