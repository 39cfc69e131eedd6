/** Days that are over are packed, and nobody who asks can tell. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listDays } from '../../src/lib/local-day.ts'
import { insertBatch } from '../../src/traffic/inbox/store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import type { TrafficTable } from '../../src/traffic/retention/removal-store.ts'
import { Rollup } from '../../src/traffic/rollup/rollup.ts'
import { panelNames, seriesNames } from '../../src/traffic/stats/schema.ts'
import { TestClock } from '../support/clock.ts'
import { eventAt, eventsOn } from '../support/inbox-events.ts'
import { expectCountedRight, type Rows } from '../support/recount.ts'
import { type Person, startTestServer, type TestServer } from '../support/server.ts'
import { createSite, overview, statistics } from '../support/traffic.ts'

const days = ['2026-01-01', '2026-01-02', '2026-01-03']
const range = 'from=2025-12-30&to=2026-01-04'

let server: TestServer
let ada: Person
let sites = 0
let site: number
let rows: Rows

beforeAll(async () => {
  server = await startTestServer({ clock: new TestClock(new Date('2026-01-10T12:00:00Z')) })
  ada = await server.person('ada')
  rows = (sql, values) => server.services.db.query(sql, values) as never
})
afterAll(() => server?.close())

beforeEach(async () => {
  site = await createSite(ada, `site-${++sites}.example.com`)
})

const isPacked = async () =>
  (await rows<{ packed: boolean }>('select is_packed as packed from traffic_days where website_id = $1', [site])).map(
    ({ packed }) => packed,
  )

/** Of the days whose visits are packed. */
const visitsOf = async () =>
  (
    await rows<{ day: string }>(
      'select day::text from traffic_days where website_id = $1 and packed_visits is not null order by day',
      [site],
    )
  ).map(({ day }) => day)

const countsOf = () => rows('select from traffic_counts where website_id = $1', [site])

async function forget(...tables: TrafficTable[]): Promise<void> {
  for (const table of tables) await rows(`delete from ${table} where website_id = $1`, [site])
}

/** Everything that can be asked. */
async function askAll(id = site): Promise<object> {
  const whole = await overview(ada.session, id, range)
  const filtered = await overview(ada.session, id, `${range}&filter=page:/3`)
  const answers: Record<string, unknown> = { whole: { ...whole, website: {} }, filtered: { ...filtered, website: {} } }
  for (const name of seriesNames) answers[name] = await statistics(ada.session, id, `name=${name}&${range}`)
  for (const name of panelNames) {
    answers[name] = await statistics(ada.session, id, `name=${name}&${range}&sort_by=value&per_page=100`)
  }
  return answers
}

async function fill(count = 60): Promise<void> {
  for (const day of days) await insertBatch(server.services.db, eventsOn(site, day, count))
  await server.services.rollup.rollUpAll()
}

describe('packing a day', () => {
  it('changes no answer, and leaves no counts', async () => {
    await fill()
    const before = await askAll()
    expect(await isPacked()).toEqual([false, false, false])
    await packDays(server.services)
    expect(await isPacked()).toEqual([true, true, true])
    expect(await countsOf()).toEqual([])
    expect(await visitsOf()).toEqual(days)
    expect(await askAll()).toEqual(before)
    await expectCountedRight(rows)
  })

  it('leaves filters without a word from the events', async () => {
    await fill()
    const filtered = () => overview(ada.session, site, `${range}&filter=page:/3&filter=browser:*`)
    const before = await filtered()
    expect(before.totals.pageviews).toBeGreaterThan(0)
    await packDays(server.services)
    await forget('events', 'visits')
    expect(await filtered()).toEqual(before)
    await forget('traffic_days', 'traffic_weeks')
  })

  it('a second time changes nothing at all', async () => {
    await fill()
    await packDays(server.services)
    const versions = () =>
      rows('select day::text, xmin::text from traffic_days where website_id = $1 order by 1', [site])
    const [before, answers] = [await versions(), await askAll()]
    await packDays(server.services)
    expect(await versions()).toEqual(before)
    expect(await askAll()).toEqual(answers)
  })

  it('waits until it is over everywhere', async () => {
    const { db, rollup } = server.services
    await insertBatch(db, [
      eventAt(site, '2026-01-10T11:00:00Z'),
      eventAt(site, '2026-01-09T11:00:00Z'),
      eventAt(site, '2026-01-08T23:00:00Z'),
    ])
    await rollup.rollUpAll()
    await packDays(server.services)
    const packed = await rows('select day::text from traffic_days where website_id = $1 and is_packed', [site])
    expect(packed).toEqual([{ day: '2026-01-08' }])
  })

  it('goes on with the others where one cannot be packed, says so, and comes back to it', async () => {
    await fill()
    const before = await askAll()
    await rows(
      `alter table traffic_days add constraint broken check (not is_packed or website_id <> ${site} or day <> '${days[0]}')`,
    )
    await expect(packDays(server.services)).rejects.toThrow(
      `1 could not be packed, the first ${days[0]} of the website ${site}: `,
    )
    expect((await isPacked()).toSorted()).toEqual([false, true, true])
    await rows('alter table traffic_days drop constraint broken')
    await packDays(server.services)
    expect(await isPacked()).toEqual([true, true, true])
    expect(await askAll()).toEqual(before)
  })

  it('can be stopped between two days', async () => {
    await fill()
    await packDays(server.services, AbortSignal.abort())
    expect(await isPacked()).toEqual([false, false, false])
  })
})

describe('a week whose days are packed', () => {
  // A Thursday to a Wednesday: two whole weeks, and a part of two others.
  const fortnight = listDays('2025-12-11', '2025-12-31')
  const wide = 'from=2025-12-11&to=2025-12-31'
  const weeksOf = async () =>
    (await rows<{ week: string }>('select week::text from traffic_weeks where website_id = $1 order by 1', [site])).map(
      ({ week }) => week,
    )
  const ask = async (range: string) => {
    const answers: Record<string, unknown> = { whole: await overview(ada.session, site, range) }
    for (const name of panelNames)
      answers[name] = await statistics(ada.session, site, `name=${name}&${range}&per_page=100`)
    return answers
  }

  beforeEach(async () => {
    for (const [index, day] of fortnight.entries()) {
      await insertBatch(server.services.db, eventsOn(site, day, 20, index * 7))
    }
    await server.services.rollup.rollUpAll()
  })

  it('is the sum of them, for whoever asks for all of it, and for nobody else', async () => {
    const ranges = [
      wide,
      'from=2025-12-15&to=2025-12-21',
      'from=2025-12-15&to=2025-12-20',
      'from=2025-12-16&to=2025-12-28',
    ]
    const before = await Promise.all(ranges.map(ask))
    await packDays(server.services)
    expect(await weeksOf()).toEqual(['2025-12-08', '2025-12-15', '2025-12-22', '2025-12-29'])
    expect(await Promise.all(ranges.map(ask))).toEqual(before)
    await expectCountedRight(rows)
    // From there and not from its days.
    await rows(
      `update traffic_days set page = null where website_id = $1 and day between '2025-12-15' and '2025-12-21'`,
      [site],
    )
    expect(await ask(wide)).toEqual(before[0])
    expect(await ask('from=2025-12-15&to=2025-12-20')).not.toEqual(before[2])
    await forget('traffic_days', 'traffic_weeks', 'events', 'visits')
  })

  it('has what comes late at once, and is added up anew', async () => {
    await packDays(server.services)
    const before = await ask(wide)
    await insertBatch(server.services.db, eventsOn(site, '2025-12-17', 5, 500))
    const after = await ask(wide)
    expect(after).not.toEqual(before)
    await expectCountedRight(rows)
    await packDays(server.services)
    expect(await ask(wide)).toEqual(after)
    expect(await weeksOf()).toHaveLength(4)
    await expectCountedRight(rows)
  })

  it('that goes on is not added up yet', async () => {
    await insertBatch(server.services.db, eventsOn(site, '2026-01-06', 5))
    await server.services.rollup.rollUpAll()
    await packDays(server.services)
    expect(await weeksOf()).not.toContain('2026-01-05')
  })
})

describe('what comes late, for a day that is packed', () => {
  it('is added to it, also where it takes something away', async () => {
    const { db, rollup } = server.services
    const morning = (visitor: number) => eventAt(site, '2026-01-02T08:00:00Z', { visitor, page: '/landed' })
    await insertBatch(db, [morning(1), morning(2)])
    await rollup.rollUpAll()
    await packDays(server.services)
    // Another page of the same visit: it is no bounce any more, and was left elsewhere.
    await insertBatch(db, [eventAt(site, '2026-01-02T08:10:00Z', { page: '/left', visitor: 1 })])
    const day = 'from=2026-01-02&to=2026-01-02'
    const expectAll = async () => {
      const { totals } = await overview(ada.session, site, day)
      expect(totals).toMatchObject({ visitors: 2, visits: 2, pageviews: 3, bounce_rate: 50, visit_duration: 300 })
      const panel = (name: string) => statistics(ada.session, site, `name=${name}&${day}&sort_by=value`)
      expect(await panel('landing_page')).toEqual([{ value: '/landed', count: 2 }])
      expect(await panel('exit_page')).toEqual([
        { value: '/landed', count: 1 },
        { value: '/left', count: 1 },
      ])
    }
    await expectAll()
    expect([await isPacked(), await visitsOf()]).toEqual([[false], []])
    const left = () => overview(ada.session, site, `${day}&filter=page:/left`)
    const seen = await left()
    expect(seen.totals).toMatchObject({ visitors: 1, pageviews: 1, bounce_rate: 0, visit_duration: 600 })
    await packDays(server.services)
    expect(await left()).toEqual(seen)
    await packDays(server.services)
    await expectAll()
    expect([await isPacked(), await countsOf()]).toEqual([[true], []])
    // The one who is left leaves elsewhere too: nobody left there, and it is gone from the list.
    await insertBatch(db, [eventAt(site, '2026-01-02T08:20:00Z', { page: '/left', visitor: 2 })])
    expect(await statistics(ada.session, site, `name=exit_page&${day}`)).toEqual([{ value: '/left', count: 2 }])
    await packDays(server.services)
    expect(await statistics(ada.session, site, `name=exit_page&${day}`)).toEqual([{ value: '/left', count: 2 }])
    await expectCountedRight(rows)
  })

  it('counts as if it had come in time', async () => {
    const { db, rollup } = server.services
    const twin = await createSite(ada, `twin-${sites}.example.com`)
    for (const part of [0, 1, 2]) {
      for (const day of days) {
        for (const id of [site, twin]) await insertBatch(db, eventsOn(id, day, 30, part * 30))
      }
      await rollup.rollUpAll()
      // Of the twin everything is packed at the end only.
      await rows('update traffic_days set is_packed = true where website_id = $1', [twin])
      await packDays(server.services)
      await rows('update traffic_days set is_packed = false where website_id = $1', [twin])
    }
    await packDays(server.services)
    expect(await askAll(site)).toEqual(await askAll(twin))
    await expectCountedRight(rows)
  })
})

describe('packing and adding up at the same time', () => {
  it('lose nothing, and count nothing twice', async () => {
    const { db, log } = server.services
    const rollups = [server.services.rollup, new Rollup({ db, log, sliceEvents: 20 })]
    let isOver = false
    const packing = [1, 2].map(async () => {
      while (!isOver) await packDays(server.services)
    })
    const asking = (async () => {
      while (!isOver) {
        const { totals, panels } = await overview(ada.session, site, range)
        // Read at one moment: what a day came to, and of what.
        const sum = panels.country.reduce((all: number, { count }: { count: number }) => all + count, 0)
        expect(sum).toBe(totals.visitors)
        const filtered = await overview(ada.session, site, `${range}&filter=page:*&filter=country:*`)
        const filteredSum = filtered.panels.country.reduce(
          (all: number, { count }: { count: number }) => all + count,
          0,
        )
        expect(filteredSum).toBe(filtered.totals.visitors)
      }
    })()
    for (let part = 0; part < 25; part++) {
      for (const day of days) await insertBatch(db, eventsOn(site, day, 10, part * 10))
      await Promise.all(rollups.map((rollup) => rollup.rollUpAll()))
    }
    isOver = true
    await Promise.all([asking, ...packing])
    const { totals } = await overview(ada.session, site, range)
    expect(totals.pageviews + totals.events).toBe(750)
    await expectCountedRight(rows)
  })
})
