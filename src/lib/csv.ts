/**
 * Writes CSV that is safe to open in a spreadsheet. CSV packages can escape formulas too, but not reversibly, and an import
 * has to restore exactly what was exported.
 */

/**
 * Spreadsheets run a cell that starts with one of these characters as a formula, so we add a leading apostrophe. We also add
 * one to a cell that already has apostrophes before such a character, so that `unescapeFormula` is the exact inverse.
 */
const formulaPattern = /^'*[=+\-@\t\r]/
const escapedFormulaPattern = /^'+[=+\-@\t\r]/

export function escapeFormula(text: string): string {
  return formulaPattern.test(text) ? `'${text}` : text
}

export function unescapeFormula(cell: string): string {
  return cell.charCodeAt(0) === 39 && escapedFormulaPattern.test(cell) ? cell.slice(1) : cell
}

export function formatCsvLine(cells: readonly (string | number)[]): string {
  return `${formatCsvCells(cells)}\n`
}

/** Formats a line without its line break. */
export function formatCsvCells(cells: readonly (string | number)[]): string {
  let line = ''
  for (let index = 0; index < cells.length; index++) {
    if (index > 0) line += ','
    const cell = cells[index]
    line += typeof cell === 'string' ? quote(escapeFormula(cell)) : cell
  }
  return line
}

function quote(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
