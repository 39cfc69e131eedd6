/** The options and the command `help`, which `main.ts` handles itself. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Command } from './command.ts'

/** Every command accepts these options. */
export const globalOptions = {
  help: { type: 'boolean', short: 'h' },
  config: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig

export const optionsWithoutCommand = { version: { type: 'boolean' } } as const satisfies ParseArgsOptionsConfig

export const helpCommand: Pick<Command, 'name' | 'summary' | 'usage' | 'options'> = {
  name: 'help',
  summary: 'list the commands, or explain one',
  usage: 'help [<command>]',
}
