import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config/config.ts'

export interface Invocation {
  config: Config
  /** What stands after the command's name. */
  positionals: string[]
  options: Record<string, string | boolean | undefined>
  /** To the person, on standard output. */
  out(text: string): void
  /** Progress and remarks, on standard error. */
  note(text: string): void
}

export interface Command {
  name: string
  summary: string
  usage: string
  details?: string
  options?: ParseArgsOptionsConfig
  /** How many words may follow the name. */
  takes?: number
  /** The process's exit code. */
  run(invocation: Invocation): Promise<number>
}

/** The command was called in a way it does not understand. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
