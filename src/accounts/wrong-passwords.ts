/** Limits wrong passwords. A stranger who guesses must neither find the password nor lock the owner of the account out. */
import { limitFailures } from '../lib/limit-failures.ts'
import type { Secret } from '../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'

const WINDOW_SECONDS = 900

/**
 * This limit is higher than the one for an address and an account together, because a whole office can share one IP
 * address.
 */
const ipAddressLimit: RateLimit = { count: 20, windowSeconds: WINDOW_SECONDS }
const ipAddressAndAccountLimit: RateLimit = { count: 10, windowSeconds: WINDOW_SECONDS }
/**
 * Stops guesses at one account from many addresses. While it is exceeded, the owner can't sign in either. So it is high: a
 * stranger needs 20 addresses to reach it.
 */
const accountLimit: RateLimit = { count: 200, windowSeconds: WINDOW_SECONDS }
/** Applies to `current_password`, so that somebody with a stolen session can't guess the password. */
const sessionLimit: RateLimit = { count: 10, windowSeconds: WINDOW_SECONDS }

const REFUSAL = 'Too many incorrect passwords. Try again in a few minutes.'

interface Deps {
  counter: WindowCounter
  secret: Secret
}

type Attempt<T> = () => Promise<T | undefined>

/** Counter names are HMACs, so that no IP or email address is stored. */
function nameCounter(secret: Secret, kind: string, text: string): string {
  return `${kind}:${secret.hmac('addresses', text).toString('base64url')}`
}

/** `clientNetwork` is an IPv4 address, or the /64 network of an IPv6 address. */
export function limitFailuresByAddress<T>(
  { counter, secret }: Deps,
  clientNetwork: string,
  attempt: Attempt<T>,
): Promise<T | undefined> {
  const limits = [{ name: nameCounter(secret, 'sign-in', clientNetwork), limit: ipAddressLimit }]
  return limitFailures(counter, limits, REFUSAL, attempt)
}

/** `foldedEmail` is counted whether or not an account has it, so that the limit doesn't tell which accounts exist. */
export function limitFailuresByAccount<T>(
  { counter, secret }: Deps,
  { foldedEmail, clientNetwork }: { foldedEmail: string; clientNetwork: string },
  attempt: Attempt<T>,
): Promise<T | undefined> {
  const limits = [
    // The limit for this address and account comes first: an attempt that it refuses doesn't count against the account.
    {
      name: nameCounter(secret, 'sign-in-account', `${clientNetwork} ${foldedEmail}`),
      limit: ipAddressAndAccountLimit,
    },
    { name: nameCounter(secret, 'account', foldedEmail), limit: accountLimit },
  ]
  return limitFailures(counter, limits, REFUSAL, attempt)
}

export function limitFailuresBySession<T>(
  { counter }: Pick<Deps, 'counter'>,
  sessionId: number,
  attempt: Attempt<T>,
): Promise<T | undefined> {
  return limitFailures(counter, [{ name: `password:session:${sessionId}`, limit: sessionLimit }], REFUSAL, attempt)
}
