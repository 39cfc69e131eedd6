import { describe, expect, it } from 'vitest'
import { createFilter } from './filters.ts'
import { formatWebsiteView, parseWebsiteView } from './view.ts'

const today = '2026-01-05'
const parse = (query: string) => parseWebsiteView(new URLSearchParams(query), today)

describe('the view in the URL of a website', () => {
  it('defaults to the last 30 days', () => {
    const view = parse('')
    expect(view).toEqual({ period: '30d', from: '2025-12-07', to: today, isCompared: false, filters: [] })
    expect(formatWebsiteView(view).toString()).toBe('')
  })

  it.each([
    'period=today',
    'period=last_month&compare=previous',
    'from=2025-12-01&to=2025-12-31',
    'period=7d&filter=page%3A%2Fblog&filter=country%3ADE',
  ])('formats to the same query that it was parsed from: %s', (query) => {
    expect(formatWebsiteView(parse(query)).toString()).toBe(query)
  })

  it('accepts only one end of a range', () => {
    expect(parse('from=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: today })
    expect(parse('to=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: '2026-01-02' })
  })

  it('falls back to the default for invalid parameters', () => {
    for (const query of ['period=toString', 'from=never&to=soon', 'compare=next', 'filter=colour:red']) {
      expect(parse(query)).toEqual(parse(''))
    }
  })

  it('keeps the filter of a clicked row', () => {
    const view = { ...parse('period=7d'), filters: [createFilter('page', '/a*b')] }
    expect(formatWebsiteView(view).getAll('filter')).toEqual(['page:/a\\*b'])
    expect(parse(formatWebsiteView(view).toString()).filters).toEqual(view.filters)
  })
})
