import { describe, expect, it } from 'vitest'
import { countTags, getTagColor, hasAllTags, mergeTags, toggleTag } from './tags.ts'

describe('tags', () => {
  it('are the same tag if only their case differs', () => {
    expect(hasAllTags(['Shop', 'EU'], ['shop', 'eu'])).toBe(true)
    expect(hasAllTags(['Shop'], ['shop', 'eu'])).toBe(false)
    expect(mergeTags(['Shop'], ['SHOP', 'eu', 'EU'])).toEqual(['Shop', 'eu'])
    expect(toggleTag(['Shop', 'eu'], 'shop')).toEqual(['eu'])
    expect(toggleTag(['eu'], 'Shop')).toEqual(['eu', 'Shop'])
    expect(getTagColor('Shop')).toBe(getTagColor(' sHOP'))
  })

  it('are counted and sorted by name', () => {
    expect(countTags([{ tags: ['Shop', 'eu'] }, { tags: ['shop'] }, { tags: [] }])).toEqual([
      { tag: 'eu', count: 1 },
      { tag: 'Shop', count: 2 },
    ])
  })

  it('use all colours of the style sheet', () => {
    const colors = Array.from({ length: 100 }, (_, n) => getTagColor(`tag ${n}`))
    expect([...new Set(colors)].sort()).toEqual([1, 2, 3, 4, 5, 6])
  })
})
