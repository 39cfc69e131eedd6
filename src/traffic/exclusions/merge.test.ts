import { describe, expect, it } from 'vitest'
import { Merging } from './merge.ts'

function merge(list: string | null, pages: Record<string, number>): Merging {
  const merging = new Merging(list)
  for (const [page, views] of Object.entries(pages)) merging.add(page, views)
  return merging
}

describe('pages that differ in what is excluded', () => {
  it('become one, with the page itself if it was there', () => {
    const merging = merge('ref', { '/a?ref=1': 3, '/a?ref=2': 2, '/b?ref=1&q=1': 1, '/b?q=1': 1 })
    expect(merging.missing).toEqual(['/a'])
    merging.keep('/a', 10)
    expect(merging.merged).toEqual([
      { value: '/a', count: 15, pages: 3, merged: ['/a?ref=1', '/a?ref=2'] },
      { value: '/b?q=1', count: 2, pages: 2, merged: ['/b?ref=1&q=1'] },
    ])
  })

  it('stay where they are no address, whatever somebody imported', () => {
    const pages = { 'no path?ref=1': 1, '?ref=1': 1, 'https://example.com/?ref=1': 1, '': 1, '/%?ref': 1 }
    expect(merge('ref', pages).merged).toEqual([{ value: '/%', count: 1, pages: 1, merged: ['/%?ref'] }])
  })
})

describe('each line', () => {
  it('counts a page once, however many of its parameters it names, and whatever other lines name', () => {
    const { lines } = merge('utm_*\nutm_source\n*\nnone', {
      '/?utm_source=1&utm_medium=2': 2,
      '/?utm_medium=3': 1,
      '/?q=1': 1,
    })
    expect(lines).toEqual([
      { line: 'utm_*', pages: 2, views: 3 },
      { line: 'utm_source', pages: 1, views: 2 },
      { line: '*', pages: 3, views: 4 },
      { line: 'none', pages: 0, views: 0 },
    ])
  })
})

describe('parameters that were seen', () => {
  it('are those that a line can name', () => {
    const { seen } = merge(null, { [`/?${'x'.repeat(201)}=1&=2&&a%0Ab=1&%2B%25=1`]: 1 })
    expect(seen.map(({ name }) => name)).toEqual(['a%0Ab', '%2B%25'])
  })

  it('are those of the most viewed pages, where somebody made up too many', () => {
    const merging = new Merging('made-up-20000')
    for (let n = 0; n <= 20_000; n++) merging.add(`/?made-up-${n}=1`, 1)
    expect(merging.seen).toHaveLength(10_000)
    expect(merging.lines).toEqual([{ line: 'made-up-20000', pages: 1, views: 1 }])
  })
})
