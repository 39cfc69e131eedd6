import { describe, expect, it } from 'vitest'
import { createFilter } from './filters.ts'
import { formatWebsiteView, parseWebsiteView, selectsSameWeekdays } from './view.ts'

const today = '2026-01-05'
const parse = (query: string) => parseWebsiteView(new URLSearchParams(query), today, '2024-05-06')

describe('the view in the URL of a website', () => {
  it('defaults to the visitors of the last 30 days, compared with the 30 days before', () => {
    const view = parse('')
    expect(view).toEqual({
      period: '30d',
      from: '2025-12-07',
      to: today,
      metric: 'visitors',
      interval: undefined,
      comparison: 'previous',
      matchesWeekday: undefined,
      filters: [],
    })
    expect(formatWebsiteView(view).toString()).toBe('')
  })

  it.each([
    'period=today',
    'period=last_month&compare=off',
    'period=12mo&metric=bounce_rate&interval=month&compare=year&match_weekday=true',
    'period=all',
    'period=7d&match_weekday=false',
    'from=2025-12-01&to=2025-12-31',
    'period=7d&filter=page%3A%2Fblog&filter=country%3ADE',
  ])('formats to the same query that it was parsed from: %s', (query) => {
    expect(formatWebsiteView(parse(query)).toString()).toBe(query)
  })

  it.each([
    ['', true],
    ['period=today', true],
    ['period=90d', true],
    ['from=2025-10-07&to=2026-01-05', false],
    ['period=12mo', false],
    ['period=12mo&match_weekday=true', true],
    ['period=7d&match_weekday=false', false],
  ])('compares the same weekdays up to 90 days, unless the user chose otherwise: %s %s', (query, isMatching) => {
    expect(selectsSameWeekdays(parse(query))).toBe(isMatching)
  })

  it('starts the period “All time” on the first day with traffic', () => {
    expect(parse('period=all')).toMatchObject({ from: '2024-05-06', to: today })
  })

  it('accepts a range with only a first or only a last day', () => {
    expect(parse('from=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: today })
    expect(parse('to=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: '2026-01-02' })
  })

  it('falls back to the default for invalid parameters', () => {
    const invalidQueries = [
      'period=toString',
      'from=never&to=soon',
      'compare=next',
      'filter=colour:red',
      'metric=valueOf',
    ]
    for (const query of [...invalidQueries, 'interval=minute', 'match_weekday=1'])
      expect(parse(query)).toEqual(parse(''))
  })

  it('keeps the filter of a clicked row', () => {
    const view = { ...parse('period=7d'), filters: [createFilter('page', '/a*b')] }
    expect(formatWebsiteView(view).getAll('filter')).toEqual(['page:/a\\*b'])
    expect(parse(formatWebsiteView(view).toString()).filters).toEqual(view.filters)
  })
})
