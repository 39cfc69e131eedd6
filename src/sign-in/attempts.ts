/**
 * Sign-ins and enrolments that have begun and need another request. Whoever has the token goes on. The database stores a hash of the
 * token and the data encrypted.
 */
import { addMs, type Clock } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import { hashToken, randomToken } from '../lib/token.ts'
import { MINUTE_MS } from '../shared/time.ts'
import type { Queries } from '../storage/transaction.ts'
import { deleteAttempt, findAttemptData, insertAttempt } from './attempt-store.ts'

const LIFETIME_MS = 5 * MINUTE_MS

interface Deps {
  clock: Clock
  secret: Secret
}

/** The data of each kind of attempt. */
interface AttemptData {
  /** A correct password, which waits for the second factor. Another password ends the attempt. */
  'second factor': { userId: number; passwordHash: string }
  /** With `token`, the passkey is the second factor of that attempt. */
  'passkey sign-in': PasskeyChallenge & { token: string | null }
  'passkey enrolment': PasskeyChallenge & { userId: number; sessionId: number }
}
type AttemptKind = keyof AttemptData

/** What a passkey has to sign, and for which page. */
export interface PasskeyChallenge {
  challenge: string
  relyingPartyId: string
  origin: string
}

export async function createAttempt<K extends AttemptKind>(
  q: Queries,
  { clock, secret }: Deps,
  kind: K,
  data: AttemptData[K],
): Promise<{ token: string; expiresAt: Date }> {
  const token = randomToken()
  const expiresAt = addMs(clock.now(), LIFETIME_MS)
  const sealedData = secret.seal('sign-in attempts', 0, JSON.stringify(data))
  await insertAttempt(q, { tokenHash: hashToken(token), kind, data: sealedData, expiresAt })
  return { token, expiresAt }
}

const unsealData = ({ secret }: Deps, data: Buffer | undefined) =>
  data && JSON.parse(secret.unseal('sign-in attempts', 0, data))

/** Returns undefined if the token is wrong or has expired. */
export async function findAttempt<K extends AttemptKind>(
  q: Queries,
  deps: Deps,
  kind: K,
  token: string,
): Promise<AttemptData[K] | undefined> {
  return unsealData(deps, await findAttemptData(q, kind, hashToken(token), deps.clock.now()))
}

/** Like `findAttempt`, but only one of several simultaneous calls gets the data, and later ones get nothing. */
export async function takeAttempt<K extends AttemptKind>(
  q: Queries,
  deps: Deps,
  kind: K,
  token: string,
): Promise<AttemptData[K] | undefined> {
  return unsealData(deps, await deleteAttempt(q, kind, hashToken(token), deps.clock.now()))
}
