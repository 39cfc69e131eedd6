import { expect, it } from 'vitest'
import { formatTime } from './overview.ts'

it('formatTime formats times as Date does', () => {
  const times = [
    '1970-01-01T00:00:00.000Z',
    '2026-01-05T10:00:00.007Z',
    '2028-02-29T23:59:59.999Z',
    '2026-03-29T01:30:05.120Z',
  ]
  for (const time of times) expect(formatTime(Date.parse(time))).toBe(time)
})
