import { describe, expect, it } from 'vitest'
import { PageMerger } from './page-merger.ts'

function merge(excludeParams: string | null, pages: Record<string, number>): PageMerger {
  const merger = new PageMerger(excludeParams)
  for (const [page, views] of Object.entries(pages)) merger.add(page, views)
  return merger
}

describe('pages that differ only in ignored parameters', () => {
  it('merge into one page, together with the page that has no ignored parameter', () => {
    const merger = merge('ref', { '/a?ref=1': 3, '/a?ref=2': 2, '/b?ref=1&q=1': 1, '/b?q=1': 1 })
    expect(merger.targetsWithUnknownViews).toEqual(['/a'])
    merger.addUnchangedPage('/a', 10)
    expect(merger.mergedPages).toEqual([
      { value: '/a', count: 15, pages: 3, merged: ['/a?ref=1', '/a?ref=2'] },
      { value: '/b?q=1', count: 2, pages: 2, merged: ['/b?ref=1&q=1'] },
    ])
  })

  it('stay unchanged if they are not paths, as some imported pages', () => {
    const pages = { 'no path?ref=1': 1, '?ref=1': 1, 'https://example.com/?ref=1': 1, '': 1, '/%?ref': 1 }
    expect(merge('ref', pages).mergedPages).toEqual([{ value: '/%', count: 1, pages: 1, merged: ['/%?ref'] }])
  })
})

describe('a line of ignored parameters', () => {
  it('counts a page once, even if several parameters of the page match the line, or match other lines too', () => {
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

describe('the list of used parameters', () => {
  it('contains only names that the setting of ignored parameters accepts', () => {
    const { usedParameters } = merge(null, { [`/?${'x'.repeat(201)}=1&=2&&a%0Ab=1&%2B%25=1`]: 1 })
    expect(usedParameters.map(({ name }) => name)).toEqual(['a%0Ab', '%2B%25'])
  })

  it('contains no parameters that new pages never have', () => {
    const { usedParameters } = merge(null, { '/?utm_term=1&Ref=2&gclid=3&referrer=4': 1 })
    expect(usedParameters.map(({ name }) => name)).toEqual(['referrer'])
  })

  it('keeps the parameters of the most viewed pages if there are too many parameters', () => {
    const merger = new PageMerger('name-20000')
    for (let n = 0; n <= 20_000; n++) merger.add(`/?name-${n}=1`, 1)
    expect(merger.usedParameters).toHaveLength(10_000)
    expect(merger.lines).toEqual([{ line: 'name-20000', pages: 1, views: 1 }])
  })
})
