/** The entry point of the command line. */
import { parseArgs } from 'node:util'
import { type Command, type Invocation, UsageError } from './cli/common/command.ts'
import { globalOptions, helpCommand } from './cli/common/global-options.ts'
import { createOutput, type Output, type OutputStream } from './cli/common/output.ts'
import { findCommand, formatCommandList, formatGroupHelp, formatHelp, formatUnknownCommand } from './cli/help.ts'
import { collectSettings } from './config/collect-settings.ts'
import { type Environment, parseConfig, readVersion } from './config/config.ts'
import { findConfigFile } from './config/file.ts'
import { findClosest } from './lib/closest.ts'
import { switchToOwnerOf } from './lib/privileges.ts'
import { Problem } from './lib/problem.ts'
import { StartupError } from './lib/startup-error.ts'
import { toVisibleText } from './lib/text.ts'
import { createMissingServiceFolder } from './service/data-folder.ts'

/** The parts of `process` that commands use. Tests pass their own. */
export interface ProcessIo {
  env: Environment
  stdout: OutputStream
  stderr: OutputStream
}

/** `--config` can also precede the command. */
function splitConfigOption(args: string[]): { configFile: string | undefined; words: string[] } {
  if (args[0]?.startsWith('--config=')) return { configFile: args[0].slice('--config='.length), words: args.slice(1) }
  return args[0] === '--config'
    ? { configFile: args[1] ?? '', words: args.slice(2) }
    : { configFile: undefined, words: args }
}

export async function main(args: string[], io: ProcessIo = process): Promise<number> {
  const output = createOutput(io, () => {
    // bin/belfry.js sets process.exitCode to the result of the command, which may be 0. So change it only at the exit.
    process.once('exit', (code) => {
      if (code === 0) process.exitCode = 1
    })
  })
  const { configFile, words } = splitConfigOption(args)
  if (words[0] === '--version') {
    output.out(await readVersion())
    return 0
  }
  if (words[0] === helpCommand.name || words[0] === '--help' || words[0] === '-h')
    return explain(words.slice(1), output)
  const match = findCommand(words)
  if (match === undefined) return handleUnknownCommand(words, output)
  const { command, commandArgs } = match
  try {
    const { values, positionals } = parseArgs({
      args: commandArgs,
      options: { ...command.options, ...globalOptions },
      allowPositionals: true,
    })
    if (values['help']) {
      output.out(formatHelp(command))
      return 0
    }
    if (positionals.length > (command.maxArguments ?? 0))
      throw new UsageError(`Unexpected argument: ${positionals.at(-1)}`)
    const workingFolder = getWorkingFolder()
    const env = command.ignoresSettings ? {} : io.env
    const settings = collectSettings(env, {
      workingFolder,
      configFile: command.ignoresSettings ? undefined : findConfigFile(env, workingFolder, values.config ?? configFile),
    })
    const config = parseConfig(settings)
    if (command.switchesToOwner !== 'never') await createMissingServiceFolder(settings.configFile, config.dataDir)
    const switchToOwner = () => switchToOwnerOf(config.dataDir)
    if (command.switchesToOwner === undefined) switchToOwner()
    return await command.run({
      commandName: command.name,
      config,
      settings,
      switchToOwner,
      positionals,
      options: values as Invocation['options'],
      ...output,
    })
  } catch (error) {
    return reportError(error, command, output)
  }
}

/** Throws a StartupError if the working folder was deleted. */
function getWorkingFolder(): string {
  try {
    return process.cwd()
  } catch (error) {
    throw new StartupError(
      "The working folder doesn't exist anymore.",
      'Change to another folder, and run the command again.',
      { cause: error },
    )
  }
}

/** Explains the command of these words, or lists all commands. */
function explain(words: string[], output: Output): number {
  if (words.length === 0) {
    output.out(formatCommandList())
    return 0
  }
  const match = findCommand(words)
  if (match === undefined) return handleUnknownCommand([...words, '--help'], output)
  output.out(formatHelp(match.command))
  return 0
}

function handleUnknownCommand(words: string[], { out, note }: Output): number {
  const groupHelp = words[1] === undefined || words[1].startsWith('-') ? formatGroupHelp(words[0]) : undefined
  if (groupHelp === undefined) {
    note(formatUnknownCommand(words))
    return 2
  }
  out(groupHelp)
  return words.includes('--help') || words.includes('-h') ? 0 : 2
}

function reportError(error: unknown, command: Command, output: Output): number {
  // Messages may quote the settings of a server, files or other programs.
  const note = (text: string) => output.note(toVisibleText(text))
  if (error instanceof StartupError) {
    note(`${error.message}\n${error.hint}`)
    return error.exitCode
  }
  if (error instanceof Problem) {
    note(error.message)
    return 1
  }
  if (error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) {
    note(`${explainUsageError(error as Error, command)}\n\n${formatHelp(command)}`)
    return 2
  }
  note(`${(error as Error).stack ?? error}`)
  return 1
}

function explainUsageError({ message }: Error, command: Command): string {
  const option = /^Unknown option '(.+?)'/s.exec(message)?.[1]
  if (option === undefined) return message
  const names = Object.keys({ ...command.options, ...globalOptions }).map((name) => `--${name}`)
  const meantOption = findClosest(option, names)
  return `Unknown option: ${option}${meantOption === undefined ? '' : `. Did you mean ${meantOption}?`}`
}
