import type { CommandWords } from './command-words.ts'

/** A script for Bash 4 or later. Where it has no suggestion, Bash completes the names of files. */
export function formatBashCompletion(program: string, commands: CommandWords[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return `# Bash completion for ${program}. To load it: source <(${program} completion bash)
_${program}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local path='' word words='' options='' value_options='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case "\${path:+$path }$word" in
      ${paths.join(' | ')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
${commands.map(formatCase).join('\n')}
  esac
  COMPREPLY=()
  # For the value of an option, Bash completes the name of a file.
  case " $value_options " in *" $previous "*) return ;; esac
  case "$current" in
    -*) words=$options ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${program} ${program}
`
}

function formatCase({ path, nextWords, options }: CommandWords): string {
  const names = (list: CommandWords['options']) => list.map(({ name }) => `--${name}`).join(' ')
  const values = names(options.filter(({ hasValue }) => hasValue))
  const words = nextWords.map(({ word }) => word).join(' ')
  return `    '${path}') words='${words}' options='${names(options)}' value_options='${values}' ;;`
}
