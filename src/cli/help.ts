/** Finds the command that somebody typed, and explains commands. */
import { findClosest } from '../lib/closest.ts'
import { formatCommand } from '../lib/program.ts'
import { commands } from './commands.ts'
import type { Command } from './common/command.ts'
import { helpCommand } from './common/global-options.ts'
import { wrapDetails, wrapUsage, wrapWords } from './common/wrap.ts'
import { serve } from './serve.ts'

const CONFIG_OPTION_HELP =
  '  --config <file>  read settings from this file; the default is belfry.env in the working folder'

/** Finds the command whose name matches the most words: `user create` before `user`. Without a command, the server starts. */
export function findCommand(words: string[]): { command: Command; commandArgs: string[] } | undefined {
  const [firstWord] = words
  if (firstWord === undefined || firstWord.startsWith('-')) return { command: serve, commandArgs: words }
  const command = commands
    .filter(({ name }) => name.split(' ').every((part, index) => words[index] === part))
    .sort((a, b) => b.name.length - a.name.length)[0]
  return command && { command, commandArgs: words.slice(command.name.split(' ').length) }
}

export function formatCommandList(): string {
  const listedCommands = [...commands, helpCommand]
  const width = Math.max(...listedCommands.map(({ name }) => name.length))
  return [
    'Belfry: website statistics and uptime monitoring.',
    '',
    `Usage: ${formatCommand('[<command>]')}. Without a command, the server starts.`,
    '',
    ...listedCommands.flatMap(({ name, summary }) => wrapWords(`  ${name.padEnd(width)}  `, summary.split(' '))),
    '',
    'Every command accepts:',
    wrapDetails(CONFIG_OPTION_HELP),
    '',
    `Run \`${formatCommand('<command> --help')}\` for arguments and details,`,
    `and \`${formatCommand('--version')}\` for the version.`,
  ].join('\n')
}

export function formatHelp({ name, usage, summary, details }: Command): string {
  const synopsis = wrapUsage(`${formatCommand(name)} `, usage.slice(name.length)).trimEnd()
  return [synopsis, '', wrapDetails(`  ${summary}`), ...(details ? ['', wrapDetails(details)] : [])].join('\n')
}

/** Explains the commands that begin with the word, for example `user`; undefined if there is none. */
export function formatGroupHelp(word: string | undefined): string | undefined {
  const group = commands.filter(({ name }) => name.startsWith(`${word} `))
  return group.length === 0 ? undefined : group.map(formatHelp).join('\n\n')
}

/** Suggests the command that was probably meant, or else lists all commands. */
export function formatUnknownCommand(args: string[]): string {
  const words = args.filter((word) => !word.startsWith('-'))
  const message = `Unknown command: ${words.join(' ')}`
  const meant = findMeantCommand(words)
  return meant === undefined
    ? `${message}\n\n${formatCommandList()}`
    : `${message}. Did you mean \`${formatCommand(meant)}\`?\nRun \`${formatCommand('help')}\` to list all commands.`
}

/** Compares each command with as many typed words as its name has. */
function findMeantCommand(words: string[]): string | undefined {
  const names = [...commands, helpCommand].map(({ name }) => name)
  for (const length of [2, 1]) {
    const candidates = names.filter((name) => name.split(' ').length === length)
    const meant = words.length >= length && findClosest(words.slice(0, length).join(' '), candidates)
    if (meant) return meant
  }
  return undefined
}
