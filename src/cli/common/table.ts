/** Formats rows as an aligned text table. */

/** Cells can contain text that users chose, such as a key's name. It must not send control characters to the terminal. */
function replaceControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}

export function formatTable(head: string[], rows: string[][]): string {
  const lines = [head, ...rows.map((row) => row.map(replaceControlCharacters))]
  const widths = head.map((_, column) => Math.max(...lines.map((line) => [...(line[column] ?? '')].length)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatTime(time: Date | null): string {
  return time === null ? '-' : `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
