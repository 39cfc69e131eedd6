/** Prints a script with which a shell completes the commands and their options. */
import { type Command, UsageError } from '../common/command.ts'
import { formatBashCompletion } from './bash.ts'
import { listCommandWords } from './command-words.ts'
import { formatFishCompletion } from './fish.ts'
import { formatZshCompletion } from './zsh.ts'

const formatters = { bash: formatBashCompletion, zsh: formatZshCompletion, fish: formatFishCompletion }
const shells = Object.keys(formatters)

const isShell = (name: string): name is keyof typeof formatters => Object.hasOwn(formatters, name)

/** `getCommands` returns all commands, including this one. */
export const createCompletion = (getCommands: () => Command[]): Command => ({
  name: 'completion',
  summary: 'print a script that completes commands in your shell',
  usage: `completion <${shells.join('|')}>`,
  details: [
    '  Load it when the shell starts:',
    '    bash: add to ~/.bashrc: source <(belfry completion bash)',
    '    zsh:  add to ~/.zshrc, after compinit: source <(belfry completion zsh)',
    '    fish: belfry completion fish > ~/.config/fish/completions/belfry.fish',
  ].join('\n'),
  maxArguments: 1,
  ignoresSettings: true,
  switchesToOwner: 'never',
  async run({ positionals: [shell], out }) {
    if (shell === undefined) throw new UsageError(`Missing argument: <${shells.join('|')}>`)
    if (!isShell(shell)) throw new UsageError(`Unknown shell: ${shell}. Use ${shells.join(', ')}.`)
    out(formatters[shell]('belfry', listCommandWords(getCommands())))
    return 0
  },
})
