import type { StdioOptions } from 'node:child_process'
import { type Identity, spawnAs } from './identity.ts'

export interface CommandResult {
  /** null if the command was killed or could not be started. */
  code: number | null
  stdout: string
  stderr: string
  /** Why the command could not be started. */
  failure?: NodeJS.ErrnoException
}

export interface RunOptions {
  identity?: Identity
  cwd?: string
  libraryPath?: string | undefined
  /** The command gets it as file descriptor 3. */
  extraFd?: number
}

/** Runs a short command and waits for it to exit. Returns failures instead of throwing, because only the caller knows what they mean. */
export function run(command: [string, ...string[]], options: RunOptions = {}): Promise<CommandResult> {
  const { identity = { kind: 'self' }, cwd = '/', libraryPath, extraFd } = options
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
  if (extraFd !== undefined) stdio.push(extraFd)
  return new Promise((resolve) => {
    const result: CommandResult = { code: null, stdout: '', stderr: '' }
    // The command runs in a separate session, so that Ctrl-C in the terminal doesn't reach it.
    const child = spawnAs(identity, command, { cwd, libraryPath, stdio, detached: true })
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      result.stdout += text
    })
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      result.stderr += text
    })
    child.once('error', (failure) => resolve({ ...result, failure }))
    child.once('close', (code) => resolve({ ...result, code }))
  })
}
