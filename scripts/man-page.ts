/** Writes the manual page from the list of commands. `npm run build:server` puts it into dist/man, where npm finds it. */
import type { Command } from '../src/cli/common/command.ts'
import { helpCommand } from '../src/cli/common/global-options.ts'
import { MIN_CONTINUED_LENGTH } from '../src/cli/common/wrap.ts'
import { type CommandWords, listCommandWords } from '../src/cli/completion/command-words.ts'
import { formatCommandFor } from '../src/lib/program.ts'
import { CONFIGURATION_EXIT_CODE } from '../src/lib/startup-error.ts'

type DescribedCommand = Pick<Command, 'name' | 'summary' | 'usage' | 'details' | 'options'>

/**
 * In roff, a backslash begins an escape, and a dot or an apostrophe at the start of a line begins a macro. Not all programs read
 * UTF-8.
 */
const escapeRoff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '\\(ga')
    .replace(
      /[^\n -~]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`,
    )
    .replace(/^(?=[.'])/gm, '\\&')

/** This script runs in a clone, so help texts contain commands as people type them in a clone. */
const nameProgram = (text: string) => text.replaceAll(formatCommandFor(false, ''), formatCommandFor(true, ''))

/** Lines of a help text begin with two spaces. */
const formatDetails = (details: string): string =>
  ['.PP', ...nameProgram(details).replace(/^ {2}/gm, '').split('\n').map(formatDetailsLine)]
    .join('\n')
    .replaceAll('.fi\n.nf\n', '')
    .replaceAll('.PP\n.TP', '.TP')

function formatDetailsLine(line: string): string {
  if (line === '') return '.PP'
  // A line with more spaces is an example.
  if (line.startsWith(' ')) return `.nf\n${escapeRoff(line)}\n.fi`
  const [, term, definition] = /^(\S.*?) {2,}(\S.*)$/.exec(line) ?? []
  if (term !== undefined && definition !== undefined) return `.TP\n${escapeRoff(term)}\n${escapeRoff(definition)}`
  return line.length < MIN_CONTINUED_LENGTH ? `${escapeRoff(line)}\n.br` : escapeRoff(line)
}

const formatCommandSection = ({ usage, summary, details, options = {} }: DescribedCommand) =>
  [
    `.SS "belfry ${escapeRoff(usage).replaceAll('"', '\\(dq')}"`,
    escapeRoff(toSentence(summary)),
    ...Object.keys(options).map(
      (name, index) => `${index === 0 ? '.PP\nOptions:\n' : ''}.B ${escapeRoff(`--${name}`)}`,
    ),
    ...(details === undefined ? [] : [formatDetails(details)]),
  ].join('\n')

const toSentence = (summary: string) => `${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`

export function formatManPage(version: string, commands: readonly DescribedCommand[]): string {
  const generalOptions = listCommandWords([...commands]).find(({ path }) => path === '')?.options ?? []
  return `.TH BELFRY 1 "" "Belfry ${escapeRoff(version)}" "Belfry"
.SH NAME
belfry \\- website statistics and uptime monitoring
.SH SYNOPSIS
.B belfry
.RB [ \\-\\-config
.IR file ]
.RI [ command ]
.SH DESCRIPTION
Belfry counts visits to websites, checks whether websites and services
are up, sends alerts and publishes status pages.
Without a command it runs the server, with its data in the folder
.I ./data
unless BELFRY_DATA names another folder.
.SH OPTIONS
${generalOptions.map(formatOption).join('\n')}
.SH COMMANDS
${[...commands, helpCommand].map(formatCommandSection).join('\n')}
.SH FILES
.TP
.I belfry.env
The configuration file in the working folder, if neither \\-\\-config nor BELFRY_CONFIG names another.
.TP
.I ./data
The data folder, with the embedded database and the secret.
.SH ENVIRONMENT
Every setting can also be an environment variable, which takes precedence
over the file.
The command
.B belfry config
lists all settings with their values.
.SH EXIT STATUS
0 on success, 1 if the command failed, 2 if its arguments are wrong,
and ${CONFIGURATION_EXIT_CODE} if a setting is wrong.
`
}

const optionTexts: Record<string, string> = {
  config: 'Read settings from this file. The default is belfry.env in the working folder.',
  help: 'Explain the command.',
  version: 'Print the version.',
}

function formatOption({ name, short, hasValue }: CommandWords['options'][number]): string {
  const names = [...(short === undefined ? [] : [`-${short}`]), `--${name}`].map(escapeRoff).join(', ')
  const text = optionTexts[name]
  if (text === undefined) throw new Error(`The manual page lacks a text about --${name}.`)
  return `.TP\n${hasValue ? `.BI "${names} " file` : `.B ${names}`}\n${escapeRoff(text)}`
}
