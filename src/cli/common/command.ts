import type { ParseArgsOptionsConfig } from 'node:util'
import type { CollectedSettings } from '../../config/collect-settings.ts'
import type { Config } from '../../config/config.ts'

/** An option that can be repeated is a list. */
export type OptionValue = string | boolean | string[] | undefined

export interface Invocation {
  /** The name of the command, such as `user create`. */
  commandName: string
  config: Config
  /** The settings before they are parsed, and where each is set. */
  settings: CollectedSettings
  /** The arguments after the command's name. */
  positionals: string[]
  options: Record<string, OptionValue>
  /**
   * If root runs the command and another user owns the data folder, the process permanently switches to that user. Call it before you use
   * anything in the data folder.
   */
  switchToOwner(): void
  /** Prints a result to standard output. */
  out(text: string): void
  /** Prints progress or a remark to standard error. */
  note(text: string): void
}

export interface Command {
  name: string
  summary: string
  usage: string
  details?: string
  options?: ParseArgsOptionsConfig
  /** How many positional arguments the command accepts. The default is 0. */
  maxArguments?: number
  /** Whether the command ignores the environment and the configuration file, so that wrong settings can't stop it. */
  ignoresSettings?: boolean
  /**
   * When a process of root switches to the user who owns the data folder. The default is before `run`. `later`: `run` itself calls
   * `switchToOwner`, after it has opened files that perhaps only root can open. `never`: the command doesn't use the data folder.
   */
  switchesToOwner?: 'later' | 'never'
  /** Returns the exit code of the process. */
  run(invocation: Invocation): Promise<number>
}

/** Reports wrong arguments. `main.ts` prints the message and the command's help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
