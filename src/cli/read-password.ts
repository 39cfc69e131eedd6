/**
 * Reads a new password from a prompt or standard input, or generates one. `--password` accepts only `-`, which means
 * standard input, because other users can see the arguments of a process.
 */
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Problem } from '../lib/problem.ts'
import { type Invocation, UsageError } from './common/command.ts'
import { askHidden, isInteractive } from './common/prompt.ts'
import { getEmailArgument } from './find-user.ts'

export const passwordOptions = { 'password-stdin': { type: 'boolean' }, password: { type: 'string' } } as const

export const passwordDetails = [
  '  At a terminal it prompts for the password. --password-stdin (or --password -) reads it from standard input.',
  '  Otherwise a password is generated and printed once.',
].join('\n')

interface NewPassword {
  password: string
  /** If true, the command must print the password, because the user doesn't know it. */
  isGenerated: boolean
}

/** Reads the `<email>` argument and a new password, and validates both as the API does. */
export async function readAccount(invocation: Invocation): Promise<NewPassword & { email: string }> {
  const email = getEmailArgument(invocation)
  const { password, isGenerated } = await readPassword(invocation)
  const { requireValidUser } = await import('./validate.ts')
  requireValidUser({ email, password })
  return { email, password, isGenerated }
}

async function readPassword({ options }: Pick<Invocation, 'options'>): Promise<NewPassword> {
  if (options['password'] !== undefined && options['password'] !== '-') {
    throw new UsageError('Other users can see a password on the command line. Use --password-stdin instead.')
  }
  if (options['password-stdin'] || options['password'] === '-') {
    return { password: (await text(process.stdin)).replace(/\r?\n$/, ''), isGenerated: false }
  }
  if (!isInteractive()) return { password: randomBytes(15).toString('base64url'), isGenerated: true }
  const [password = '', repeatedPassword] = await askHidden(['New password: ', 'Repeat password: '])
  if (password !== repeatedPassword)
    throw new Problem('validation_failed', "The passwords don't match. Nothing was changed.")
  return { password, isGenerated: false }
}
