import { expect, it } from 'vitest'
import { parseDisplayName } from './field-parser.ts'

it.each(['Shop', '  Shop ', 'Ладья', '店', '👩‍💻 team', 'a\u200bb'])('%j is a display name', (text) => {
  expect(parseDisplayName(text)).toEqual({ value: text.trim() })
})

it.each([
  '',
  '  ',
  '\u200b',
  '\u00a0\u2063 ',
  'a\nb',
  'a\r\nBcc: b@example.com',
  'a\u0007',
  'a\u0085b',
  'a\u2028b',
  '\u3164',
])('%j is not a display name', (text) => {
  expect(parseDisplayName(text)).toHaveProperty('errors')
})
