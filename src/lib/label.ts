/** What people call their things: one line in which something can be seen. It becomes the subject of mails. */
import type { Reading } from './reading.ts'

export function readLabel(text: string): Reading<string> {
  const label = text.trim()
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(label)) return { faults: ['must be one line, without special characters'] }
  if (/^[\p{Cf}\p{Z}\u2800\u3164]*$/u.test(label)) return { faults: ['must not be empty'] }
  return { value: label }
}
