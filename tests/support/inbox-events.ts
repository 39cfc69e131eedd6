/** Events as collecting makes them, put into the inbox directly: of any day, and by whomever. */
import { localDayOf } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import type { TrafficEvent } from '../../src/traffic/model/event.ts'

/** At that time by the clock of UTC, unless something else is said. */
export function eventAt(websiteId: number, time: string, more: Partial<TrafficEvent> = {}): TrafficEvent {
  const at = Date.parse(time)
  const { day, startsAt } = localDayOf('UTC', at)
  return {
    websiteId,
    kind: 'view',
    at,
    day,
    hour: Math.floor((at - startsAt) / HOUR_MS),
    visitor: 1,
    page: '/',
    source: 'Direct',
    ...more,
  }
}

const any = <T>(list: readonly T[], n: number) => list[n % list.length] as T

/** Of several visitors, sources, countries and pages, in a fixed order that looks like none. */
export function eventsOn(websiteId: number, day: string, count: number, first = 0): TrafficEvent[] {
  return Array.from({ length: count }, (_, index) => {
    const n = first + index
    const time = new Date(Date.parse(day) + ((n * 37) % 1_430) * 60_000).toISOString()
    return eventAt(websiteId, time, {
      kind: n % 5 === 4 ? 'custom' : 'view',
      visitor: 1 + (n % 7),
      page: `/${(n * 3) % 11}`,
      ...(n % 5 === 4 && { name: any(['signup', 'download'], n) }),
      source: any(['Direct', 'Google', 'Hacker News'], n),
      country: any(['DE', 'FR', 'GB'], n % 7),
      browser: any(['Firefox', 'Safari'], n % 7),
    })
  })
}
