import { describe, expect, it } from 'vitest'
import { searchNames } from './use-row-search.ts'

const rows = [
  { value: 'DE', count: 5 },
  { value: 'FR', count: 3 },
  { value: 'GB', count: 1 },
]
const found = (search: string, page = 1) => searchNames(rows, { name: 'country', search, page })

describe('countries', () => {
  it('are found by their code', () => {
    expect(found('fr')).toEqual({ rows: [{ value: 'FR', count: 3 }], total: 1, first: 1, last: 1 })
  })

  it('are found by the name that people read', () => {
    const name = new Intl.DisplayNames(navigator.languages, { type: 'region' }).of('DE') as string
    expect(found(name.slice(1, 5).toUpperCase()).rows).toEqual([{ value: 'DE', count: 5 }])
  })

  it('come page by page', () => {
    const many = Array.from({ length: 30 }, (_, n) => ({ value: `Q${n}`, count: 30 - n }))
    const page = (number: number) => searchNames(many, { name: 'country', search: '', page: number })
    expect(page(1)).toMatchObject({ total: 30, first: 1, last: 25 })
    expect(page(2)).toMatchObject({ total: 30, first: 26, last: 30 })
    expect(searchNames([], { name: 'country', search: 'x', page: 1 })).toEqual({
      rows: [],
      total: 0,
      first: 0,
      last: 0,
    })
  })
})
