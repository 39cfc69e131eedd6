/** Wraps help texts, so that they fit into a terminal of the usual width. */

const TERMINAL_WIDTH = 80

/** Source files wrap prose at 120 columns: a line of a help text that is at least this long continues on the next line. */
export const MIN_CONTINUED_LENGTH = 90

/** Returns lines of at most 80 columns. The first line begins with `start`, and the others are indented by as many spaces. */
export function wrapWords(start: string, words: readonly string[]): string[] {
  const lines: string[] = []
  let line = start
  for (const word of words) {
    if (line.length > start.length && line.length + 1 + word.length > TERMINAL_WIDTH) {
      lines.push(line)
      line = ' '.repeat(start.length)
    }
    line += line.length === start.length ? word : ` ${word}`
  }
  return [...lines, line]
}

/** Wraps the usage of a command, which begins with `start`. An option and its value, such as `[--port <port>]`, stay together. */
export function wrapUsage(start: string, usage: string): string {
  return wrapWords(start, usage.match(/\[[^\]]*\]|\S+/g) ?? []).join('\n')
}

/**
 * Wraps the details of a command. A line with more than two spaces at its beginning is an example and stays as it is. A line with
 * several spaces in its middle has a term and its explanation, which get two columns.
 */
export function wrapDetails(details: string): string {
  return joinContinuedLines(details.split('\n')).flatMap(wrapLine).join('\n')
}

/** A term, two or more spaces, and its explanation. */
const termPattern = /^( {2}\S.*? {2,})(\S.*)$/

function joinContinuedLines(lines: readonly string[]): string[] {
  const joined: string[] = []
  let isContinued = false
  for (const line of lines) {
    const last = joined.at(-1)
    if (isContinued && last !== undefined && /^ {2}\S/.test(line)) joined[joined.length - 1] = `${last} ${line.trim()}`
    else joined.push(line)
    isContinued = line.length >= MIN_CONTINUED_LENGTH && !termPattern.test(line)
  }
  return joined
}

function wrapLine(line: string): string[] {
  if (/^ {3}/.test(line) || line === '') return [line]
  const [, term, explanation = line.trim()] = termPattern.exec(line) ?? []
  return wrapWords(term ?? '  ', explanation.split(/\s+/))
}
