import { describe, expect, it } from 'vitest'
import { listHourLabels } from './hour-labels.ts'
import { countHours, formatHourStart, listDays, localDay } from './local-day.ts'

describe('the labels of hours', () => {
  it.each([
    ['UTC', '2026-01-01', '2026-01-10'],
    ['Europe/Berlin', '2026-03-27', '2026-03-31'],
    ['Europe/Berlin', '2026-10-23', '2026-10-27'],
    ['Asia/Kolkata', '2026-01-01', '2026-01-03'],
    ['America/St_Johns', '2026-03-06', '2026-03-10'],
    // The clocks change by half an hour.
    ['Australia/Lord_Howe', '2026-04-03', '2026-04-07'],
    // The day begins at 1:00, because the clocks change at midnight.
    ['America/Sao_Paulo', '2018-11-02', '2018-11-06'],
    // The clocks change at midnight on a Friday.
    ['Africa/Cairo', '2026-04-22', '2026-04-26'],
    // There is no 30 December.
    ['Pacific/Apia', '2011-12-28', '2012-01-02'],
    // The offset has seconds.
    ['Africa/Monrovia', '1972-01-05', '1972-01-09'],
    ['Pacific/Kiritimati', '2026-06-01', '2026-06-02'],
  ])('in %s from %s to %s are the labels of Temporal, also from the cache', (zone, from, to) => {
    for (const date of listDays(from, to)) {
      const day = localDay(zone, date)
      const expected = Array.from({ length: countHours(day) }, (_, hour) => formatHourStart(zone, day, hour))
      expect(listHourLabels(zone, date)).toEqual(expected)
      expect(listHourLabels(zone, date)).toEqual(expected)
    }
  })
})
