/** Creates events as the collector stores them, for tests that insert events into the inbox directly. */
import { localDayAt } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'

/** Sets the day and hour in UTC unless `overrides` has others. */
export function createEventAt(websiteId: number, time: string, overrides: Partial<TrafficEvent> = {}): TrafficEvent {
  const at = Date.parse(time)
  const { day, startsAt } = localDayAt('UTC', at)
  return {
    websiteId,
    kind: 'view',
    at,
    day,
    hour: Math.floor((at - startsAt) / HOUR_MS),
    visitor: 1,
    page: '/',
    source: 'Direct',
    ...overrides,
  }
}

const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T

/** Varies visitors, sources, countries and pages in a fixed pattern, starting at event number `first` of the pattern. */
export function createEventsOn(websiteId: number, day: string, count: number, first = 0): TrafficEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const n = first + index
    const time = new Date(Date.parse(day) + ((n * 37) % 1_430) * 60_000).toISOString()
    return createEventAt(websiteId, time, {
      kind: n % 5 === 4 ? 'custom' : 'view',
      visitor: 1 + (n % 7),
      page: `/${(n * 3) % 11}`,
      ...(n % 5 === 4 && { name: pick(['signup', 'download'], n) }),
      source: pick(['Direct', 'Google', 'Hacker News'], n),
      // Some events come from an earlier version, which did not store the host.
      ...(n % 4 !== 3 && { hostname: pick(['example.com', 'www.example.com', 'shop.example.com'], n) }),
      country: pick(['DE', 'FR', 'GB'], n % 7),
      browser: pick(['Firefox', 'Safari'], n % 7),
    })
  })
}
