import { hash } from '@node-rs/argon2'

/** Verifying this hash takes no noticeable time. Verifying a hash that the server creates takes 45 ms by design. */
export function hashCheaply(password: string): Promise<string> {
  return hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 })
}
