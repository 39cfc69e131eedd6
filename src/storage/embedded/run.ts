import type { StdioOptions } from 'node:child_process'
import { type Identity, spawnAs } from './identity.ts'

export interface Outcome {
  /** null when it was killed or could not be started */
  code: number | null
  stdout: string
  stderr: string
  /** why it could not be started at all */
  failure?: NodeJS.ErrnoException
}

export interface RunOptions {
  identity?: Identity
  cwd?: string
  libraryPath?: string | undefined
  /** handed to the command as descriptor 3 */
  extraFd?: number
}

/** Runs a short command to its end. A failure is a value: the caller knows what it means. */
export function run(command: [string, ...string[]], options: RunOptions = {}): Promise<Outcome> {
  const { identity = { kind: 'self' }, cwd = '/', libraryPath, extraFd } = options
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  if (extraFd !== undefined) stdio.push(extraFd)
  return new Promise((resolve) => {
    const outcome: Outcome = { code: null, stdout: '', stderr: '' }
    // In its own session, so that Ctrl-C in the terminal does not reach it.
    const child = spawnAs(identity, command, { cwd, libraryPath, stdio, detached: true })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      outcome.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      outcome.stderr += text
    })
    child.once('error', (failure) => resolve({ ...outcome, failure }))
    child.once('close', (code) => resolve({ ...outcome, code }))
  })
}
