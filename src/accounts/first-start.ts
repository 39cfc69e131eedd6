/** The first account: from the environment, or through a link that only the server's own output shows. */
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { StartupError } from '../lib/startup-error.ts'
import { isSameSecret } from '../lib/token.ts'
import type { Queries } from '../storage/client.ts'
import type { Database } from '../storage/database.ts'
import { claimInstance, findInstance, rememberFingerprint } from './instance-store.ts'
import type { UserRow } from './store.ts'
import { createUser, type NewUser, prepareUser } from './users.ts'

/** The same on every node and after every restart, until somebody has used it. */
export async function findSetupToken(q: Queries, secret: Secret): Promise<string | undefined> {
  const instance = await findInstance(q)
  if (instance.claimed_at !== null) return undefined
  return secret.hmac('setup', instance.id).toString('base64url')
}

/** Makes the first administrator, once: the row of the instance is locked, so of two at the same moment one loses. */
function claim(db: Database, user: NewUser, clock: Clock): Promise<UserRow | undefined> {
  return db.transaction(async (q) => ((await claimInstance(q, clock.now())) ? createUser(q, user, clock) : undefined))
}

function wrongLink(): Problem {
  return new Problem('forbidden', 'This set-up link is not valid. The server prints the right one when it starts.')
}

export async function claimWithLink(
  db: Database,
  { secret, clock }: { secret: Secret; clock: Clock },
  input: { token: string; email: string; password: string },
): Promise<UserRow> {
  const expected = await findSetupToken(db, secret)
  if (expected === undefined) throw new Problem('conflict', 'This server is set up already. Sign in instead.')
  // Looked at before the password is hashed: a stranger must not make us work.
  if (!isSameSecret(input.token, expected)) throw wrongLink()
  const user = await prepareUser({ ...input, isAdmin: true })
  const created = await claim(db, user, clock)
  if (created === undefined) throw new Problem('conflict', 'This server is set up already. Sign in instead.')
  return created
}

export async function claimFromEnvironment(
  db: Database,
  clock: Clock,
  admin: { email: string; password: string },
): Promise<UserRow | undefined> {
  if ((await findInstance(db)).claimed_at !== null) return undefined
  return claim(db, await prepareUser({ ...admin, isAdmin: true }), clock)
}

/** A database goes with the secret it was first used with; with another, stored secrets could not be read. */
export async function requireSameSecret(q: Queries, secret: Secret): Promise<void> {
  const kept = await rememberFingerprint(q, secret.fingerprint)
  if (kept === secret.fingerprint) return
  throw new StartupError(
    'This database belongs with another secret than the one this server has.',
    'Set BELFRY_SECRET to the one of the other nodes, or put the file `secret` of the old data folder back.',
  )
}
