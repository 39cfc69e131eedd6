import { describe, expect, it } from 'vitest'
import { filterOf } from './filters.ts'
import { readView, writeView } from './view.ts'

const today = '2026-01-05'
const read = (query: string) => readView(new URLSearchParams(query), today)

describe('what the address of a website says', () => {
  it('is the last 30 days where it says nothing', () => {
    const view = read('')
    expect(view).toEqual({ period: '30d', from: '2025-12-07', to: today, isCompared: false, filters: [] })
    expect(writeView(view).toString()).toBe('')
  })

  it.each([
    'period=today',
    'period=last_month&compare=previous',
    'from=2025-12-01&to=2025-12-31',
    'period=7d&filter=page%3A%2Fblog&filter=country%3ADE',
  ])('is written as it was read: %s', (query) => {
    expect(writeView(read(query)).toString()).toBe(query)
  })

  it('may name one day alone', () => {
    expect(read('from=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: today })
    expect(read('to=2026-01-02')).toMatchObject({ period: undefined, from: '2026-01-02', to: '2026-01-02' })
  })

  it('is what is usual where nobody can read it', () => {
    for (const query of ['period=toString', 'from=never&to=soon', 'compare=next', 'filter=colour:red']) {
      expect(read(query)).toEqual(read(''))
    }
  })

  it('holds what was clicked on', () => {
    const view = { ...read('period=7d'), filters: [filterOf('page', '/a*b')] }
    expect(writeView(view).getAll('filter')).toEqual(['page:/a\\*b'])
    expect(read(writeView(view).toString()).filters).toEqual(view.filters)
  })
})
