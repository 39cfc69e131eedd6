import { describe, expect, it } from 'vitest'
import { foldText, matchTerm } from './fuzzy.ts'
import { createSearchEntries, findActiveIndex, type Searchable, searchItems } from './search.ts'

const toItem = (label: string): Searchable => ({ id: label, label })
const search = (items: readonly Searchable[], query: string, recentIds: readonly string[] = []) =>
  searchItems(createSearchEntries(items), query, recentIds).map(({ item }) => item.label)

describe('the search of the palette', () => {
  it('ranks a prefix before the start of a word, then parts of words, then scattered letters', () => {
    const labels = ['s-h-o-p', 'Photoshop', 'Web shop', 'Shop front', 's h o p page', 'unrelated']
    expect(search(labels.map(toItem), 'shop')).toEqual([
      'Shop front',
      'Web shop',
      'Photoshop',
      's-h-o-p',
      's h o p page',
    ])
  })

  it('puts recently used items first, the last used one at the top', () => {
    const items = ['Shop front', 'Web shop', 'Photoshop', 's-h-o-p'].map(toItem)
    expect(search(items, 'shop', ['Photoshop', 'Web shop', 's-h-o-p'])).toEqual([
      'Photoshop',
      'Web shop',
      'Shop front',
      's-h-o-p',
    ])
  })

  it('prefers short names and early positions among matches of the same kind', () => {
    expect(search(['Shop of example.org', 'Shop', 'Shop 2'].map(toItem), 'shop')).toEqual([
      'Shop',
      'Shop 2',
      'Shop of example.org',
    ])
  })

  it('finds terms in any order, in the label, the URL or keywords', () => {
    const items = [
      { id: '1', label: 'Checkout', detail: 'shop.example.com/cart' },
      { id: '2', label: 'Blog', detail: 'blog.example.com' },
      { id: '3', label: 'API documentation', keywords: 'docs reference' },
    ]
    expect(search(items, 'example check')).toEqual(['Checkout'])
    expect(search(items, 'docs')).toEqual(['API documentation'])
    expect(search(items, 'check nothing')).toEqual([])
  })

  it('finds initials and skipped letters, but only from the start of a word', () => {
    expect(search(['Front page', 'Checkout'].map(toItem), 'fp')).toEqual(['Front page'])
    expect(search(['Front page', 'Checkout'].map(toItem), 'chkt')).toEqual(['Checkout'])
    expect(search(['Front page', 'Checkout'].map(toItem), 'hkt')).toEqual([])
  })

  it('ignores case and accents, and keeps the positions of the letters', () => {
    expect(foldText('Café ÉCOLE İ ﬁ 🏁')).toBe('cafe ecole i ﬁ 🏁')
    expect(matchTerm(foldText('Grand Café'), foldText('CAFE'), false)?.ranges).toEqual([[6, 10]])
  })

  it('marks the matched letters', () => {
    const splitByMatch = (label: string, query: string) =>
      searchItems(createSearchEntries([toItem(label)]), query, [])[0]?.ranges
    expect(splitByMatch('Front page', 'page fro')).toEqual([
      [0, 3],
      [6, 10],
    ])
    expect(splitByMatch('Front page', 'frp')).toEqual([
      [0, 2],
      [6, 7],
    ])
  })

  it('finds nothing if no letter matches, and treats special characters as plain text', () => {
    expect(search([toItem('')], 'a')).toEqual([])
    expect(search([toItem('a')], '.*')).toEqual([])
  })

  it('searches 11,000 items in less than 50 ms of processor time', () => {
    const items = Array.from({ length: 11_000 }, (_, n) => ({
      id: `monitor:${n}`,
      label: `Monitor ${n} of customer ${n % 97}`,
      detail: `www.customer-${n % 97}.example.com/health/${n}`,
    }))
    const entries = createSearchEntries(items)
    const measureSearchMs = (query: string) => {
      // The CPU time of this thread doesn't depend on other programs on the machine.
      const before = process.threadCpuUsage()
      expect(searchItems(entries, query, []).length).toBeGreaterThan(0)
      const { user, system } = process.threadCpuUsage(before)
      return (user + system) / 1000
    }
    const queries = ['m', 'mon', 'customer 42', 'health', 'mcust9']
    for (const query of queries) measureSearchMs(query)
    // The best of several runs, because a run may include a garbage collection.
    for (const query of queries)
      expect(Math.min(...[1, 2, 3, 4, 5].map(() => measureSearchMs(query))), query).toBeLessThan(50)
  })
})

describe('the active result of the palette', () => {
  it.each([
    ['the first result', undefined, 3, false, 0],
    ['the result that the user moved to', 2, 3, false, 2],
    ['the last result, if fewer are left', 7, 3, false, 2],
    ['no suggestion, if nothing was found', undefined, 2, true, -1],
    ['the suggestion that the user moved to', 1, 2, true, 1],
    ['none of no results', undefined, 0, true, -1],
  ])('is %s', (_, chosenIndex, count, isEmpty, index) => {
    expect(findActiveIndex(chosenIndex, count, isEmpty)).toBe(index)
  })
})
