/** How a new password comes in: asked for at a terminal, piped, or made here. Never as an argument, which others can see. */
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { Problem } from '../lib/problem.ts'
import { type Invocation, UsageError } from './command.ts'
import { emailOf } from './find-user.ts'
import { askHidden, isInteractive } from './prompt.ts'

export const passwordOptions = { 'password-stdin': { type: 'boolean' }, password: { type: 'string' } } as const

export const passwordDetails = [
  '  At a terminal the password is asked for, twice. --password-stdin (or --password -) reads it from standard',
  '  input. Without either one is made and printed, once.',
].join('\n')

interface NewPassword {
  password: string
  /** Made here: the person has to be told. */
  generated: boolean
}

/** The e-mail after the command's name with a new password, both as the API would take them. */
export async function readAccount(invocation: Invocation): Promise<NewPassword & { email: string }> {
  const email = emailOf(invocation)
  const { password, generated } = await readPassword(invocation)
  const { requireValidUser } = await import('./validate.ts')
  requireValidUser({ email, password })
  return { email, password, generated }
}

async function readPassword({ options }: Pick<Invocation, 'options'>): Promise<NewPassword> {
  if (options['password'] !== undefined && options['password'] !== '-') {
    throw new UsageError('A password on the command line can be seen by others. Use --password-stdin instead.')
  }
  if (options['password-stdin'] || options['password'] === '-') {
    return { password: (await text(process.stdin)).replace(/\r?\n$/, ''), generated: false }
  }
  if (!isInteractive()) return { password: randomBytes(15).toString('base64url'), generated: true }
  const [password = '', again] = await askHidden(['New password: ', 'Once more: '])
  if (password !== again) throw new Problem('validation_failed', 'The two passwords differ. Nothing was changed.')
  return { password, generated: false }
}
