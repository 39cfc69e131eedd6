/** The entry point of the command line. */
import { parseArgs } from 'node:util'
import { type Command, UsageError } from './cli/command.ts'
import { commands } from './cli/commands.ts'
import { readConfig } from './config/config.ts'
import { Problem } from './lib/problem.ts'
import { StartupError } from './lib/startup-error.ts'

const out = (text: string) => void process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
const note = (text: string) =>
  void process.stderr.write(text.endsWith('\n') || text.endsWith('\r') ? text : `${text}\n`)

function overview(): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  return [
    'Belfry: who visits your websites, and whether they are up.',
    '',
    'npm run belfry -- <command>',
    '',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    'Run `npm run belfry -- <command> --help` for details.',
  ].join('\n')
}

function help({ usage, summary, details }: Command): string {
  return [`npm run belfry -- ${usage}`, '', `  ${summary}`, ...(details ? ['', details] : [])].join('\n')
}

/** The command whose name matches the most words: `user create` before `user`. */
function findCommand(words: string[]): Command | undefined {
  return commands
    .filter(({ name }) => name.split(' ').every((part, index) => words[index] === part))
    .sort((a, b) => b.name.length - a.name.length)[0]
}

export async function main(args: string[]): Promise<number> {
  const command = findCommand(args)
  if (command === undefined) return unknownCommand(args)
  try {
    const rest = args.slice(command.name.split(' ').length)
    const { values, positionals } = parseArgs({
      args: rest,
      options: { ...command.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
    if (values['help']) {
      out(help(command))
      return 0
    }
    if (positionals.length > (command.maxArguments ?? 0))
      throw new UsageError(`Unexpected argument: ${positionals.at(-1)}`)
    return await command.run({
      config: readConfig(),
      positionals,
      options: values as Record<string, string | boolean | undefined>,
      out,
      note,
    })
  } catch (error) {
    return explain(error, command)
  }
}

function unknownCommand(args: string[]): number {
  const [first] = args
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    out(overview())
    return 0
  }
  const near = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (near.length > 0) out(near.map(help).join('\n\n'))
  else note(`Unknown command: ${args.join(' ')}\n\n${overview()}`)
  return args.includes('--help') || args.includes('-h') ? 0 : 2
}

function explain(error: unknown, command: Command): number {
  if (error instanceof StartupError) {
    note(`${error.message}\n${error.hint}`)
    return 1
  }
  if (error instanceof Problem) {
    note(error.message)
    return 1
  }
  if (error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')) {
    note(`${(error as Error).message}\n\n${help(command)}`)
    return 2
  }
  note(`${(error as Error).stack ?? error}`)
  return 1
}
