import type { CommandWords } from './command-words.ts'

export function formatFishCompletion(program: string, commands: CommandWords[]): string {
  const paths = commands.filter(({ path }) => path !== '').map(({ path }) => quote(path))
  return `# Fish completion for ${program}. To load it: ${program} completion fish | source
function __${program}_path_is
    set -l command_path ''
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        set -l longer_path (string trim -- "$command_path $word")
        if contains -- $longer_path ${paths.join(' ')}
            set command_path $longer_path
        end
    end
    test "$command_path" = "$argv[1]"
end
complete -c ${program} -e
${commands.flatMap((command) => formatLines(program, command)).join('\n')}
`
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function formatLines(program: string, { path, nextWords, options }: CommandWords): string[] {
  const condition = `complete -c ${program} -n ${quote(`__${program}_path_is "${path}"`)}`
  return [
    // An incomplete command takes no arguments, so -f prevents suggestions of files.
    ...nextWords.map(({ word, summary }) => `${condition} -f -a ${word} -d ${quote(summary)}`),
    ...options.map(
      ({ name, short, hasValue }) => `${condition} -l ${name}${short ? ` -s ${short}` : ''}${hasValue ? ' -r' : ''}`,
    ),
  ]
}
