import { hash, type Options, verify } from '@node-rs/argon2'

/** OWASP's recommendation for argon2id, which is the library's default algorithm. One hash takes about 45 ms. */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return hash(password, options)
}

let dummyHash: Promise<string> | undefined

/** Takes equally long without a stored hash, so that the response time doesn't reveal whether an account exists. */
export async function verifyPassword(storedHash: string | undefined, password: string): Promise<boolean> {
  dummyHash ??= hashPassword('nobody has this password')
  const matches = await verify(storedHash ?? (await dummyHash), password)
  return matches && storedHash !== undefined
}
