import { describe, expect, it } from 'vitest'
import { localDay, localDayAt } from '../../lib/local-day.ts'
import { HOUR_MS, MINUTE_MS } from '../../shared/time.ts'
import type { TrafficEvent } from '../model/event.ts'
import { type DemoTrafficOptions, generateDemoEvents } from './generate.ts'

const at = (text: string) => Date.parse(text)

const options: DemoTrafficOptions = {
  websiteId: 7,
  timeZone: 'Europe/Berlin',
  from: at('2026-03-02T00:00:00+01:00'),
  to: at('2026-03-30T00:00:00+02:00'),
  visitorsPerDay: 200,
  seed: 1,
}

function countBy(events: readonly TrafficEvent[], key: (event: TrafficEvent) => string | undefined) {
  const counts = new Map<string, number>()
  for (const event of events) {
    const value = key(event)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}

describe('sample data', () => {
  const events = [...generateDemoEvents(options)]
  const views = events.filter(({ kind }) => kind === 'view')

  it('is the same for the same seed, and different for another seed', () => {
    expect([...generateDemoEvents(options)]).toEqual(events)
    expect([...generateDemoEvents({ ...options, seed: 2 })]).not.toEqual(events)
  })

  it('is in the order of time and within the range', () => {
    expect(events.every((event, n) => n === 0 || event.at >= (events[n - 1]?.at ?? 0))).toBe(true)
    expect(events[0]?.at).toBeGreaterThanOrEqual(options.from)
    expect(events.at(-1)?.at).toBeLessThan(options.to)
  })

  it('of a day does not depend on the range', () => {
    const day = localDay('Europe/Berlin', '2026-03-11')
    const dayEvents = [...generateDemoEvents({ ...options, from: day.startsAt, to: day.endsAt })]
    expect(dayEvents).toEqual(events.filter((event) => event.day === '2026-03-11'))
    const noon = day.startsAt + 12 * HOUR_MS
    expect([...generateDemoEvents({ ...options, from: noon, to: day.endsAt })]).toEqual(
      dayEvents.filter((e) => e.at >= noon),
    )
  })

  it.each(['Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/New_York'])(
    'has the local days and hours of %s',
    (timeZone) => {
      const misdatedEvents = [...generateDemoEvents({ ...options, timeZone })].filter(({ at, day, hour }) => {
        const local = localDayAt(timeZone, at)
        return day !== local.day || hour !== Math.floor((at - local.startsAt) / HOUR_MS)
      })
      expect(misdatedEvents).toEqual([])
    },
  )

  it('has visitors who come on one day only, some of them more than once', () => {
    const daysByVisitor = new Map<number, Set<string>>()
    const lastTimeByVisitor = new Map<number, number>()
    let returnCount = 0
    for (const { visitor, day, at } of events) {
      daysByVisitor.set(visitor, (daysByVisitor.get(visitor) ?? new Set()).add(day))
      if (at - (lastTimeByVisitor.get(visitor) ?? at) > 30 * MINUTE_MS) returnCount++
      lastTimeByVisitor.set(visitor, at)
    }
    expect([...daysByVisitor.values()].every(({ size }) => size === 1)).toBe(true)
    expect(daysByVisitor.size / 28).toBeGreaterThan(180)
    expect(daysByVisitor.size / 28).toBeLessThan(220)
    expect(returnCount).toBeGreaterThan(daysByVisitor.size / 20)
  })

  it('varies by hour and weekday, and has rare pages and custom events', () => {
    const hours = countBy(views, ({ hour }) => String(hour))
    expect(hours.get('10') ?? 0).toBeGreaterThan(5 * (hours.get('3') ?? 0))
    const days = countBy(views, ({ day }) => day)
    expect(days.get('2026-03-10') ?? 0).toBeGreaterThan(days.get('2026-03-14') ?? 0)
    const pages = [...countBy(views, ({ page }) => page).values()].sort((a, b) => b - a)
    expect(pages.length).toBeGreaterThan(30)
    expect(pages[0]).toBeGreaterThan(10 * (pages.at(-1) ?? 0))
    expect([...countBy(events, ({ name }) => name).keys()].sort()).toEqual([
      'Add to cart',
      'Banner seen',
      'File Download',
      'Newsletter',
      'Outbound Link: Click',
      'Signup',
    ])
    expect(events.some(({ name, passive }) => name === 'Banner seen' && passive)).toBe(true)
    expect(countBy(views, ({ campaign }) => campaign).size).toBeGreaterThan(3)
  })

  it('has hosts if the domain is known, and is otherwise the same', () => {
    const withHosts = [...generateDemoEvents({ ...options, domain: 'example.com' })]
    const visitors = countBy(withHosts, ({ hostname }) => hostname)
    expect([...visitors.keys()].sort()).toEqual(['example.com', 'www.example.com'])
    expect(visitors.get('example.com')).toBeGreaterThan(3 * (visitors.get('www.example.com') ?? 0))
    expect(withHosts.map(({ hostname, ...event }) => event)).toEqual(events)
  })

  it('combines browsers and systems plausibly', () => {
    const safari = events.filter(({ browser }) => browser === 'Safari')
    expect(new Set(safari.map(({ os }) => os))).toEqual(new Set(['macOS', 'iOS']))
    expect(safari.length).toBeGreaterThan(0)
  })

  it('has as many pages, sources and countries as requested', () => {
    const variedEvents = [
      ...generateDemoEvents({ ...options, visitorsPerDay: 2_000, pageCount: 900, sourceCount: 300, countryCount: 100 }),
    ]
    expect(countBy(variedEvents, ({ page }) => page).size).toBe(900)
    expect(countBy(variedEvents, ({ source }) => source).size).toBe(300)
    expect(countBy(variedEvents, ({ country }) => country).size).toBe(100)
    const uniformEvents = [...generateDemoEvents({ ...options, pageCount: 3, sourceCount: 2, countryCount: 1 })]
    expect([...countBy(uniformEvents, ({ source }) => source).keys()].sort()).toEqual(['Direct', 'Google'])
    expect([
      countBy(uniformEvents, ({ page }) => page).size,
      countBy(uniformEvents, ({ country }) => country).size,
    ]).toEqual([3, 1])
  })
})
