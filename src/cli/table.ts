/** Formats rows as an aligned text table. */

/** Cells can contain text that users chose, such as a key's name. It must not send control characters to the terminal. */
function replaceControlCharacters(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}')
}

export function formatTable(head: string[], rows: string[][]): string {
  const allRows = [head, ...rows.map((row) => row.map(replaceControlCharacters))]
  const widths = head.map((_, column) => Math.max(...allRows.map((row) => [...(row[column] ?? '')].length)))
  return allRows
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

export function formatTime(time: Date | null): string {
  return time === null ? '-' : `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
