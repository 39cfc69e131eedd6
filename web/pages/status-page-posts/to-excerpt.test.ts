import { expect, it } from 'vitest'
import { toExcerpt } from './to-excerpt.ts'

it.each([
  ['We are **looking** into *it*.', 'We are looking into it.'],
  ['# Title\n\n* one\n* two\n\n1. three', 'Title one two three'],
  ['See [the log](https://example.com/a_b) of `api_v2_eu`', 'See the log of api_v2_eu'],
  ['> 3 * 4 is 12 * 1', '3 * 4 is 12 * 1'],
])('toExcerpt turns %j into the excerpt %j', (markdown, text) => {
  expect(toExcerpt(markdown)).toBe(text)
})
