import { expect, it } from 'vitest'
import { readLabel } from './label.ts'

it.each(['Shop', '  Shop ', 'Ладья', '店', '👩‍💻 team', 'a\u200bb'])('%j is a name', (text) => {
  expect(readLabel(text)).toEqual({ value: text.trim() })
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
])('%j is none', (text) => {
  expect(readLabel(text)).toHaveProperty('faults')
})
