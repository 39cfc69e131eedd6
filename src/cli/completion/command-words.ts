/** What a shell can complete after each sequence of command words. */
import type { ParseArgsOptionsConfig } from 'node:util'
import type { Command } from '../common/command.ts'
import { globalOptions, helpCommand, optionsWithoutCommand } from '../common/global-options.ts'

type Named = Pick<Command, 'name' | 'summary'>

export interface CommandWords {
  /** The words so far, for example `user` or `user create`; empty after the program's name. */
  path: string
  nextWords: { word: string; summary: string }[]
  options: { name: string; short: string | undefined; hasValue: boolean }[]
}

export function listCommandWords(commands: Pick<Command, 'name' | 'summary' | 'options'>[]): CommandWords[] {
  const listedCommands = [...commands, helpCommand].sort((a, b) => a.name.localeCompare(b.name))
  const prefixes = listedCommands.flatMap(({ name }) => {
    const words = name.split(' ')
    return words.map((_, index) => words.slice(0, index).join(' '))
  })
  const paths = new Set([...prefixes, ...listedCommands.map(({ name }) => name)])
  return [...paths].sort().map((path) => {
    const command = listedCommands.find(({ name }) => name === path)
    return {
      path,
      nextWords: listNextWords(listedCommands, path),
      options: listOptions({ ...command?.options, ...globalOptions, ...(path === '' && optionsWithoutCommand) }),
    }
  })
}

function listNextWords(commands: Named[], path: string): CommandWords['nextWords'] {
  const prefix = path === '' ? '' : `${path} `
  const summaries = new Map<string, string>()
  for (const { name, summary } of commands) {
    if (!name.startsWith(prefix) || name === path) continue
    const [word = '', ...rest] = name.slice(prefix.length).split(' ')
    if (rest.length === 0) summaries.set(word, summary)
    else if (!summaries.has(word)) summaries.set(word, listLastWords(commands, `${prefix}${word} `))
  }
  return [...summaries].map(([word, summary]) => ({ word, summary }))
}

/** Describes a group of commands by the words after the prefix, for example `create, delete, list` after `user`. */
const listLastWords = (commands: Named[], prefix: string) =>
  commands
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length))
    .join(', ')

const listOptions = (options: ParseArgsOptionsConfig): CommandWords['options'] =>
  Object.entries(options)
    .map(([name, { type, short }]) => ({ name, short, hasValue: type === 'string' }))
    .sort((a, b) => a.name.localeCompare(b.name))
