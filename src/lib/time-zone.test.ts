import { describe, expect, it } from 'vitest'
import { findTimeZone } from './time-zone.ts'

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/berlin', 'Europe/Berlin'],
    ['Asia/Kolkata', 'Asia/Kolkata'],
    ['america/argentina/buenos_aires', 'America/Argentina/Buenos_Aires'],
    ['utc', 'UTC'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
  ])('%s is found as %s', (name, zone) => {
    expect(findTimeZone(name)).toBe(zone)
  })

  it.each(['', ' ', '+01:00', 'Z', 'Mars/Olympus', 'Europe', '2026-01-01T00:00Z[Europe/Berlin]', 'localtime'])(
    '%j is not a time zone',
    (name) => {
      expect(findTimeZone(name)).toBe(undefined)
    },
  )
})
