import { expect, it } from 'vitest'
import { splitLinks } from './split-links.ts'

it.each([
  ['No link.', ['No link.']],
  ['See https://a.example/x?y=1.', ['See ', '<https://a.example/x?y=1>', '.']],
  ['(http://a.example) and https://b.example', ['(', '<http://a.example>', ') and ', '<https://b.example>']],
  ['javascript:alert(1) http://', ['javascript:alert(1) http://']],
  ['https://[', ['https://[']],
])('finds the links of %j', (text, parts) => {
  expect(splitLinks(text).map((part) => (part.isLink ? `<${part.text}>` : part.text))).toEqual(parts)
})
