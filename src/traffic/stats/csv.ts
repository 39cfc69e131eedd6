/** Rows as a table for spreadsheets (RFC 4180). */
import { csvCells } from '../../lib/csv.ts'
import type { StatisticsRow } from './schema.ts'

export function formatStatisticsCsv(heading: string, rows: readonly StatisticsRow[]): string {
  const lines = [csvCells([heading, 'count']), ...rows.map(({ value, count }) => csvCells([value, count]))]
  return `${lines.join('\r\n')}\r\n`
}
