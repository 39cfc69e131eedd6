/** Rows as a table for spreadsheets (RFC 4180). */
import type { StatisticsRow } from './schema.ts'

/** What a spreadsheet would take for a formula, and run. */
const FORMULA = /^[=+\-@\t\r]/

export function csvOf(name: string, rows: readonly StatisticsRow[]): string {
  return [`${name},count`, ...rows.map(({ value, count }) => `${cell(value)},${count}`)].join('\r\n').concat('\r\n')
}

function cell(value: string): string {
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
