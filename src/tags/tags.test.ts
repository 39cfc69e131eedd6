import { describe, expect, it } from 'vitest'
import { addTags, parseTags, removeTags } from './tags.ts'

describe('tags', () => {
  it('are trimmed and keep their order and spelling', () => {
    expect(parseTags([' Shop ', 'eu'])).toEqual({ value: ['Shop', 'eu'] })
  })

  it.each([
    [['Shop', 'eu', 'SHOP'], 'must not contain the same tag twice: SHOP'],
    [[' '], 'must contain only tags that are one line and not empty'],
    [['a\nb'], 'must contain only tags that are one line and not empty'],
    [['x'.repeat(51)], 'must contain only tags of at most 50 characters'],
    [Array.from({ length: 21 }, (_, n) => `tag ${n}`), 'must have at most 20 entries'],
  ])('%j are rejected', (tags, rule) => {
    expect(parseTags(tags)).toEqual({ errors: [rule] })
  })

  it('are added once, whatever their case', () => {
    expect(addTags(['Shop'], ['shop', 'eu'])).toEqual(['Shop', 'eu'])
  })

  it('are removed, whatever their case', () => {
    expect(removeTags(['Shop', 'eu'], ['SHOP'])).toEqual(['eu'])
  })
})
