import { describe, expect, it } from 'vitest'
import { DEFAULT_SORTING as sorting } from './row-columns.ts'
import { searchByName } from './use-row-search.ts'

const rows = [
  { value: 'DE', count: 5 },
  { value: 'FR', count: 3 },
  { value: 'GB', count: 1 },
]
const search = (term: string, page = 1) => searchByName(rows, { name: 'country', search: term, page, sorting })

describe('countries', () => {
  it('can be searched by code', () => {
    expect(search('fr')).toEqual({ rows: [{ value: 'FR', count: 3 }], total: 1, first: 1, last: 1 })
  })

  it('can be searched by their localized name', () => {
    const name = new Intl.DisplayNames(navigator.languages, { type: 'region' }).of('DE') as string
    expect(search(name.slice(1, 5).toUpperCase()).rows).toEqual([{ value: 'DE', count: 5 }])
  })

  it('are split into pages of 25', () => {
    const manyRows = Array.from({ length: 30 }, (_, n) => ({ value: `Q${n}`, count: 30 - n }))
    const page = (pageNumber: number) =>
      searchByName(manyRows, { name: 'country', search: '', page: pageNumber, sorting })
    expect(page(1)).toMatchObject({ total: 30, first: 1, last: 25 })
    expect(page(2)).toMatchObject({ total: 30, first: 26, last: 30 })
    expect(searchByName([], { name: 'country', search: 'x', page: 1, sorting })).toEqual({
      rows: [],
      total: 0,
      first: 0,
      last: 0,
    })
  })
})
