import { expect, it } from 'vitest'
import { parseRowsCsv } from './parse-rows-csv.ts'

it('the CSV of a panel becomes rows with numbers, and null for empty cells', () => {
  const lines = ['region,count,visitors,bounce_rate', 'DE-BE,5,5,41.2', '"Provence, ""FR""",2,2,', '']
  expect(parseRowsCsv(lines.join('\r\n'))).toEqual([
    { value: 'DE-BE', count: 5, visitors: 5, bounce_rate: 41.2 },
    { value: 'Provence, "FR"', count: 2, visitors: 2, bounce_rate: null },
  ])
  expect(parseRowsCsv('country,count\r\n')).toEqual([])
})
