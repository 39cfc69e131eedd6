import { describe, expect, it } from 'vitest'
import { addTagsFromText, countTags, getTagColor, hasAllTags, mergeTags, toggleTag } from './tags.ts'

describe('tags', () => {
  it('are the same tag if only their case differs', () => {
    expect(hasAllTags(['Shop', 'EU'], ['shop', 'eu'])).toBe(true)
    expect(hasAllTags(['Shop'], ['shop', 'eu'])).toBe(false)
    expect(mergeTags(['Shop'], ['SHOP', 'eu', 'EU'])).toEqual(['Shop', 'eu'])
    expect(toggleTag(['Shop', 'eu'], 'shop')).toEqual(['eu'])
    expect(toggleTag(['eu'], 'Shop')).toEqual(['eu', 'Shop'])
    expect(getTagColor('Shop')).toBe(getTagColor(' sHOP'))
  })

  it('are added from a text, and tags beyond the limit remain in the text', () => {
    expect(addTagsFromText(['Shop'], ' eu, shop,\nus,, ')).toEqual({ tags: ['Shop', 'eu', 'us'], rest: '' })
    const manyTags = Array.from({ length: 19 }, (_, n) => `tag ${n}`)
    expect(addTagsFromText(manyTags, 'a,b, c')).toEqual({ tags: [...manyTags, 'a'], rest: 'b, c' })
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
