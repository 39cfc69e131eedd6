import { expect, it } from 'vitest'
import type { Impact } from '../../../src/shared/impact.ts'
import { describeMissedVisitsOfDay } from './describe-missed-visits-of-day.ts'

const impact = { visits_expected: 50, visits_missed: 50, visits_missed_low: 47, visits_missed_high: 53 } as Impact
/** Returns the time this many hours after midnight of 18 August, in the time zone of the browser. */
const at = (hours: number) => new Date(2026, 7, 18, hours).toISOString()
const createIncident = (from: number, to: number | null) => ({
  started_at: at(from),
  resolved_at: to === null ? null : at(to),
  impact,
})

it('the text about a day adds up the visits missed on that day', () => {
  const incidents = [createIncident(30, 31), createIncident(3, 4)]
  expect(describeMissedVisitsOfDay(incidents, '2026-08-18')).toBe('About 50 visits missed (47 to 53)')
  expect(describeMissedVisitsOfDay(incidents, '2026-08-19')).toBe('About 50 visits missed (47 to 53)')
  expect(describeMissedVisitsOfDay(incidents, '2026-08-17')).toBeUndefined()
  expect(describeMissedVisitsOfDay([{ ...createIncident(3, 4), impact: null }], '2026-08-18')).toBeUndefined()
})

it('the text about a day says if the outage lasted beyond that day', () => {
  const text = 'About 50 visits missed (47 to 53), including other days of the outage'
  expect(describeMissedVisitsOfDay([createIncident(20, 30)], '2026-08-18')).toBe(text)
  expect(describeMissedVisitsOfDay([createIncident(20, 30)], '2026-08-19')).toBe(text)
})
