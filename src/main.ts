/** The entry point of the command line. */
import { parseArgs } from 'node:util'
import { type Command, type Invocation, UsageError } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { collectSettings } from './config/collect-settings.ts'
import { type Environment, parseConfig } from './config/config.ts'
import { findConfigFile } from './config/config-file.ts'
import { Problem } from './lib/problem.ts'
import { StartupError } from './lib/startup-error.ts'

/** The parts of `process` that commands use. Tests pass their own. */
export interface ProcessIo {
  env: Environment
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

type Output = Pick<Invocation, 'out' | 'note'>

function createOutput({ stdout, stderr }: ProcessIo): Output {
  return {
    out: (text) => void stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    note: (text) => void stderr.write(text.endsWith('\n') || text.endsWith('\r') ? text : `${text}\n`),
  }
}

const CONFIG_OPTION_HELP =
  '--config <file>  read settings from this file; the default is belfry.env in the working folder'

function formatCommandList(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  return [
    'Belfry: who visits your websites, and whether they are up.',
    '',
    'npm run belfry -- <command>',
    '',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    'Every command accepts:',
    `  ${CONFIG_OPTION_HELP}`,
    '',
    'Run `npm run belfry -- <command> --help` for details.',
  ].join('\n')
}

function formatHelp({ usage, summary, details }: Command): string {
  return [`npm run belfry -- ${usage}`, '', `  ${summary}`, ...(details ? ['', details] : [])].join('\n')
}

/** Finds the command whose name matches the most words: `user create` before `user`. */
function findCommand(words: string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((part, index) => words[index] === part))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

/** `--config` can also precede the command. */
function splitConfigOption(args: string[]): { configFile: string | undefined; words: string[] } {
  if (args[0]?.startsWith('--config=')) return { configFile: args[0].slice('--config='.length), words: args.slice(1) }
  return args[0] === '--config'
    ? { configFile: args[1] ?? '', words: args.slice(2) }
    : { configFile: undefined, words: args }
}

export async function main(args: string[], io: ProcessIo = process): Promise<number> {
  const output = createOutput(io)
  const { configFile, words } = splitConfigOption(args)
  const command = findCommand(words)
  if (command === undefined) return handleUnknownCommand(words, output)
  try {
    const commandArgs = words.slice(command.name.split(' ').length)
    const { values, positionals } = parseArgs({
      args: commandArgs,
      options: { ...command.options, help: { type: 'boolean', short: 'h' }, config: { type: 'string' } },
      allowPositionals: true,
    })
    if (values['help']) {
      output.out(formatHelp(command))
      return 0
    }
    if (positionals.length > (command.maxArguments ?? 0))
      throw new UsageError(`Unexpected argument: ${positionals.at(-1)}`)
    const workingFolder = process.cwd()
    const settings = collectSettings(io.env, {
      workingFolder,
      configFile: findConfigFile(io.env, workingFolder, values.config ?? configFile),
    })
    return await command.run({
      config: parseConfig(settings),
      settings,
      positionals,
      options: values as Record<string, string | boolean | undefined>,
      ...output,
    })
  } catch (error) {
    return reportError(error, command, output)
  }
}

function handleUnknownCommand(args: string[], { out, note }: Output): number {
  const [firstArgument] = args
  if (firstArgument === undefined || firstArgument === 'help' || firstArgument === '--help' || firstArgument === '-h') {
    out(formatCommandList())
    return 0
  }
  const subcommands = commands.filter(({ name }) => name.startsWith(`${firstArgument} `))
  if (subcommands.length > 0) out(subcommands.map(formatHelp).join('\n\n'))
  else note(`Unknown command: ${args.join(' ')}\n\n${formatCommandList()}`)
  return args.includes('--help') || args.includes('-h') ? 0 : 2
}

function reportError(error: unknown, command: Command, { note }: Output): number {
  if (error instanceof StartupError) {
    note(`${error.message}\n${error.hint}`)
    return error.exitCode
  }
  if (error instanceof Problem) {
    note(error.message)
    return 1
  }
  if (error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) {
    note(`${(error as Error).message}\n\n${formatHelp(command)}`)
    return 2
  }
  note(`${(error as Error).stack ?? error}`)
  return 1
}
