/**
 * Parses the CSV of a panel with details. One CSV response has all rows. Reading them in pages of JSON would count all
 * visits of the period again for each page.
 */
import type { StatisticsListRow } from '../../../src/traffic/stats/schema.ts'

/** A value can be quoted and can contain commas, such as the region “Provence, FR”. The figures after it are numbers or empty. */
const linePattern = /^(?:"((?:[^"]|"")*)"|([^,"]*)),(.*)$/

export function parseRowsCsv(text: string): StatisticsListRow[] {
  const [head = '', ...lines] = text.split('\r\n')
  const [, ...names] = head.split(',')
  return lines.flatMap((line) => {
    const match = linePattern.exec(line)
    if (match === null) return []
    const [, quotedValue, value, figures = ''] = match
    const cells = figures.split(',').map((cell) => (cell === '' ? null : Number(cell)))
    const entries = names.map((name, index) => [name, cells[index] ?? null])
    return [{ value: quotedValue?.replaceAll('""', '"') ?? value, ...Object.fromEntries(entries) } as StatisticsListRow]
  })
}
