import type { ParseArgsOptionsConfig } from 'node:util'
import type { Config } from '../config/config.ts'

export interface Invocation {
  config: Config
  /** The arguments after the command's name. */
  positionals: string[]
  options: Record<string, string | boolean | undefined>
  /** Results, on standard output. */
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
  /** How many positional arguments it accepts. Default 0. */
  maxArguments?: number
  /** Returns the exit code of the process. */
  run(invocation: Invocation): Promise<number>
}

/** Wrong arguments: the command's help is printed with the message. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
