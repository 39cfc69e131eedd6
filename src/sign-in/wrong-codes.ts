/** Limits wrong codes of the second factor. Only somebody who knows the password gets this far. */
import { limitFailures } from '../lib/limit-failures.ts'
import type { Secret } from '../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'

const WINDOW_SECONDS = 900

const networkAndAccountLimit: RateLimit = { count: 10, windowSeconds: WINDOW_SECONDS }
/**
 * Stops guesses at the six digits of one account from many addresses: 1,920 guesses a day find a code with a
 * probability of 0.6%. While the limit is exceeded, the owner can sign in with a recovery code or a passkey. It doesn't apply to them,
 * because they can't be guessed.
 */
const accountLimit: RateLimit = { count: 20, windowSeconds: WINDOW_SECONDS }

/** `clientNetwork` is an IPv4 address, or the /64 network of an IPv6 address. */
export function limitWrongCodes<T>(
  { counter, secret }: { counter: WindowCounter; secret: Secret },
  { userId, clientNetwork, isTotp }: { userId: number; clientNetwork: string; isTotp: boolean },
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  // An HMAC, so that no IP address is stored.
  const network = secret.hmac('addresses', clientNetwork).toString('base64url')
  const limits = [
    // This limit comes first: an attempt that it refuses doesn't count against the account.
    { name: `code:${userId}:${network}`, limit: networkAndAccountLimit },
    ...(isTotp ? [{ name: `code:${userId}`, limit: accountLimit }] : []),
  ]
  return limitFailures(counter, limits, 'Too many incorrect codes. Try again in a few minutes.', attempt)
}
