import { hash, type Options, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id (the library's default kind): 19 MiB, two passes; about 45 ms a hash. */
const options: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export function hashPassword(password: string): Promise<string> {
  return hash(password, options)
}

let hashOfNobody: Promise<string> | undefined

/** Works as long where there is nothing to compare with, so that the time of an answer does not tell what exists. */
export async function verifyPassword(kept: string | undefined, password: string): Promise<boolean> {
  hashOfNobody ??= hashPassword('nobody has this password')
  const matches = await verify(kept ?? (await hashOfNobody), password)
  return matches && kept !== undefined
}
