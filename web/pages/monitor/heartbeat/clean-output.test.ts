import { expect, it } from 'vitest'
import { cleanOutput } from './clean-output.ts'

it('cleanOutput removes what a terminal would interpret, and keeps the text', () => {
  expect(cleanOutput('\u001b[1;31mFailed\u001b[0m: 3 of 5\r\nDone\n\n')).toBe('Failed: 3 of 5\nDone')
  expect(cleanOutput('10 %\r20 %\r30 %')).toBe('10 %\n20 %\n30 %')
  expect(cleanOutput('\u001b]0;title\u0007a\u0000b\tc')).toBe('ab\tc')
})

it('cleanOutput removes characters that reverse the text after them', () => {
  expect(cleanOutput('invoice\u202efdp.exe')).toBe('invoicefdp.exe')
})
