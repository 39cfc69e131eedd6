/** Lines of CSV that a spreadsheet shows and never runs. */

/**
 * A spreadsheet takes a cell that begins like this for a formula, so an apostrophe goes before it. It goes before one that
 * looks as if it had been treated so already, too: what `undoDefuse` takes away is then always what was put there.
 */
const dangerous = /^'*[=+\-@\t\r]/
const defused = /^'+[=+\-@\t\r]/

export function defuse(text: string): string {
  return dangerous.test(text) ? `'${text}` : text
}

export function undoDefuse(cell: string): string {
  return cell.charCodeAt(0) === 39 && defused.test(cell) ? cell.slice(1) : cell
}

/** Cells are texts as they are; what is empty stays so. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${csvCells(cells)}\n`
}

/** The same without an end of the line. */
export function csvCells(cells: readonly (string | number)[]): string {
  let line = ''
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) line += ','
    const cell = cells[index]
    line += typeof cell === 'string' ? quote(defuse(cell)) : cell
  }
  return line
}

function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
