import type { CommandWords } from './command-words.ts'

/** A script that works both sourced and as a file named `_belfry` in a folder of `fpath`. */
export function formatZshCompletion(program: string, commands: CommandWords[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`)
  return `#compdef ${program}
# Zsh completion for ${program}. To load it: source <(${program} completion zsh)
_${program}() {
  local command_path='' word
  local -a choices options value_options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${command_path:+$command_path }$word" in
      (${paths.join(' | ')}) command_path="\${command_path:+$command_path }$word" ;;
    esac
  done
  case "$command_path" in
${commands.map(formatCase).join('\n')}
  esac
  if (( \${value_options[(Ie)\${words[CURRENT-1]}]} )); then
    _files
  elif [[ "$PREFIX" == -* ]]; then
    _describe -o option options
  elif (( \${#choices} )); then
    _describe command choices
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
/** In zsh, a colon separates a word from its description. */
const escapeColons = (text: string) => text.replaceAll(':', '\\:')

function formatCase({ path, nextWords, options }: CommandWords): string {
  const choices = nextWords.map(({ word, summary }) => quote(`${escapeColons(word)}:${escapeColons(summary)}`))
  const names = options.map(({ name }) => `--${name}`)
  const valueNames = options.filter(({ hasValue }) => hasValue).map(({ name }) => `--${name}`)
  return [
    `    ('${path}')`,
    `      choices=(${choices.join(' ')})`,
    `      options=(${names.join(' ')})`,
    `      value_options=(${valueNames.join(' ')}) ;;`,
  ].join('\n')
}
