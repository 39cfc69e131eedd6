import { describe, expect, it } from 'vitest'
import { PlausibleRowReader } from './row-reader.ts'

const sink = { addTotals: () => {}, addCount: () => {}, addPageVisitors: () => {} }

function createReader() {
  const header = ['date', 'page', 'pageviews']
  return new PlausibleRowReader({ fileName: 'pages.csv', table: 'pages', header, today: '2026-01-05' })
}

describe('the counts of a day', () => {
  it('can add up to a billion', () => {
    const reader = createReader()
    reader.read({ line: 2, cells: ['2026-01-01', '/a', '999999999'] }, sink)
    reader.read({ line: 3, cells: ['2026-01-01', '/a', '1'] }, sink)
    reader.read({ line: 4, cells: ['2026-01-02', '/a', '1000000000'] }, sink)
  })

  it('are rejected if they add up to more than a billion, because the sum would not fit into the database', () => {
    const reader = createReader()
    reader.read({ line: 2, cells: ['2026-01-01', '/a', '1000000000'] }, sink)
    expect(() => reader.read({ line: 3, cells: ['2026-01-01', '/b', '1000000000'] }, sink)).toThrow(
      'pages.csv, line 3: `pageviews` must not add up to more than 1000000000 on one day.',
    )
  })
})
