/**
 * Parses a configuration file. The format is that of systemd's EnvironmentFile, with four differences: `export` is allowed,
 * ` #` begins a comment also after a value without quotes, quotes must enclose the whole value on one line, and a line that
 * systemd would skip as malformed is an error. Messages never repeat a line, which may contain a secret.
 */

export interface FileEntry {
  name: string
  text: string
  line: number
  /** Whether a comment follows a value without quotes. The "#" may have been meant as part of the value. */
  hasComment: boolean
}

export interface FileError {
  line: number
  message: string
}

interface ParsedValue {
  text: string
  hasComment: boolean
}

/** Returns the next line, or undefined at the end of the file. */
type NextLine = () => string | undefined

const ignoredLinePattern = /^\s*(?:[#;]|$)/
const assignmentPattern = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/

export function parseSettingsFile(fileText: string): { entries: FileEntry[]; errors: FileError[] } {
  const lines = fileText.split(/\r\n|\n|\r/)
  const entries: FileEntry[] = []
  const errors: FileError[] = []
  let readLineCount = 0
  const nextLine: NextLine = () => lines[readLineCount++]
  for (let lineText = nextLine(); lineText !== undefined; lineText = nextLine()) {
    if (ignoredLinePattern.test(lineText)) continue
    const line = readLineCount
    try {
      entries.push({ ...parseAssignment(lineText, nextLine), line })
    } catch (error) {
      errors.push({ line, message: (error as Error).message })
    }
  }
  return { entries, errors }
}

function parseAssignment(lineText: string, nextLine: NextLine): ParsedValue & { name: string } {
  const [, name, valueText] = assignmentPattern.exec(lineText) ?? []
  if (name === undefined || valueText === undefined) throw new Error('expected NAME=value')
  const quote = /^\s*(["'])/.exec(valueText)?.[1]
  const value =
    quote === undefined
      ? parseUnquoted(valueText, nextLine)
      : parseQuoted(valueText.trimStart().slice(1), quote, nextLine)
  if (/[^\t\P{Cc}]/u.test(value.text)) throw new Error('the value has a control character')
  return { name, ...value }
}

/** A backslash makes the next character literal. At the end of a line, it continues the value on the next line. */
function parseUnquoted(valueText: string, nextLine: NextLine): ParsedValue {
  let rest = valueText
  let text = ''
  // Spaces before this position are part of the value. Those after it are removed, unless another character follows.
  let keptLength = 0
  for (let index = 0; index < rest.length; index++) {
    const char = rest[index] as string
    if (char === '\\' && index === rest.length - 1) {
      rest = nextLine() ?? ''
      index = -1
    } else if (char === '\\') {
      text = (keptLength === 0 ? '' : text) + rest[++index]
      keptLength = text.length
    } else if (char === '#' && index > 0 && /\s/.test(rest[index - 1] as string) && text.length > keptLength) {
      return { text: text.slice(0, keptLength), hasComment: keptLength > 0 }
    } else if (/\s/.test(char)) {
      text += char
    } else {
      text = (keptLength === 0 ? '' : text) + char
      keptLength = text.length
    }
  }
  return { text: text.slice(0, keptLength), hasComment: false }
}

/** In double quotes, a backslash is special only before the four characters that shells escape, and at the end of a line. */
function parseQuoted(valueText: string, quote: string, nextLine: NextLine): ParsedValue {
  let rest = valueText
  let text = ''
  for (let index = 0; index < rest.length; index++) {
    const char = rest[index] as string
    if (char === quote) {
      if (!/^(?:\s*|\s+#.*)$/.test(rest.slice(index + 1))) throw new Error('there is text after the closing quote')
      return { text, hasComment: false }
    }
    if (quote === '"' && char === '\\' && index === rest.length - 1) {
      rest = nextLine() ?? ''
      index = -1
    } else if (quote === '"' && char === '\\' && /["\\`$]/.test(rest[index + 1] as string)) {
      text += rest[++index]
    } else {
      text += char
    }
  }
  throw new Error('the quote is not closed on the same line')
}
