/** Limits how often somebody may try tokens of links. Nobody can guess a token, so this only limits the work of the database. */
import { limitFailures } from '../lib/limit-failures.ts'
import type { Secret } from '../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'

/** The limit is high, because a whole office can share one IP address. */
const networkLimit: RateLimit = { count: 60, windowSeconds: 900 }

/** `attempt` resolves with undefined if no link has the token. `clientNetwork` comes from `toClientNetwork`. */
export function limitWrongTokens<T>(
  { counter, secret }: { counter: WindowCounter; secret: Secret },
  clientNetwork: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const name = `link-token:${secret.hmac('addresses', clientNetwork).toString('base64url')}`
  return limitFailures(
    counter,
    [{ name, limit: networkLimit }],
    'Too many links that are not valid. Try again in a few minutes.',
    attempt,
  )
}
