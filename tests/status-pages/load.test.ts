/** Snapshots of status pages, read from a real database: the page and its monitors. */
import { describe, expect, it } from 'vitest'
import { localDay } from '../../src/lib/local-day.ts'
import type { PublicMonitorState } from '../../src/shared/status-pages.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { readPageVersion } from '../../src/status-pages/load/versions.ts'
import type { Statement } from '../../src/storage/batch.ts'
import type { Queries } from '../../src/storage/transaction.ts'
import { addChecks } from '../support/check-results.ts'
import { insertMonitors } from '../support/monitors.ts'
import type { TestUser } from '../support/server.ts'
import { ago, ahead, firstMonitor, listMonitors, now, useLoadFixture } from './load-support.ts'

const fixture = useLoadFixture()

describe('the snapshot of a page', () => {
  it('contains its settings, and its groups and monitors in their order', async () => {
    const ids: number[] = []
    for (const name of ['Shop', 'API', 'Mail']) ids.push(await fixture.insertMonitor({ name }))
    const [shop, api, mail] = ids as [number, number, number]
    const groups = [
      { name: 'Website', monitors: [mail, shop].map((monitorId) => ({ monitorId, label: `Label of ${monitorId}` })) },
      { name: 'Empty', monitors: [] },
      { name: 'Backend', monitors: [{ monitorId: api, label: 'Interface' }] },
    ]
    const settings = { title: 'Acme', description: 'All systems', theme: 'dark', accentColor: '#0a7d4f' } as const
    const pageId = await fixture.insertPage({ ...settings, groups, privacy: 2, passwordHash: 'hash' })
    const snapshot = await fixture.load(pageId)
    expect(snapshot).toMatchObject({
      format: 1,
      readAt: now.getTime(),
      access: { teamId: fixture.owner.id, pageId, privacy: 2, passwordHash: 'hash' },
      page: { ...settings, slug: 'example', timeZone: 'UTC', logoHash: null, canSubscribe: true },
      overall: 'up',
      firstDay: '2025-10-08',
      lastDay: '2026-01-05',
    })
    expect(snapshot.groups.map(({ name, monitors }) => [name, monitors.map(({ label }) => label)])).toEqual([
      ['Website', [`Label of ${mail}`, `Label of ${shop}`]],
      ['Empty', []],
      ['Backend', ['Interface']],
    ])
  })

  it('has the hash of the logo', async () => {
    const pageId = await fixture.insertPage()
    await fixture.db.query(
      `insert into status_page_logos (user_id, page_id, media_type, content, content_hash)
       values ($1, $2, 'image/png', 'image', 'abc')`,
      [fixture.owner.id, pageId],
    )
    expect((await fixture.load(pageId)).page.logoHash).toBe('abc')
  })

  it('is undefined for a page that does not exist or belongs to somebody else', async () => {
    const stranger = await fixture.server.createUser('stranger')
    const pageId = await fixture.insertPage()
    expect(await fixture.find(pageId)).toBeDefined()
    expect(await fixture.find(pageId + 1)).toBeUndefined()
    expect(await fixture.find(pageId, fixture.db, { teamId: stranger.id })).toBeUndefined()
    expect(await fixture.find(pageId, fixture.db.as(await readSession(stranger)))).toBeUndefined()
  })

  it('is the same for the owner, under row level security, and comes with its version', async () => {
    const monitorId = await fixture.insertMonitor({ monitoredSince: ago(365 * DAY_MS) })
    await fixture.insertMaintenance({ allMonitors: true, startsAt: now, endsAt: ahead(HOUR_MS) })
    const snapshot = await fixture.loadPage([monitorId], { showResponseTimes: true })
    const { pageId } = snapshot.access
    await fixture.insertPost(pageId, { monitorIds: [monitorId] })
    expect(await fixture.load(pageId, fixture.db.as(await readSession(fixture.owner)))).toEqual(
      await fixture.load(pageId),
    )
    const version = await readPageVersion(fixture.db, { teamId: fixture.owner.id, pageId }, now)
    expect((await fixture.find(pageId))?.version).toEqual(version)
  })
})

/** Returns the session of the user's client. */
async function readSession({ id: teamId }: TestUser) {
  const [row] = await fixture.db.query<{ id: number }>('select id from sessions where user_id = $1', [teamId])
  return { teamId, userId: teamId, keyId: null, sessionId: row?.id as number }
}

describe('a monitor on a page', () => {
  it('has the state that visitors may see, and since when', async () => {
    const ids: number[] = []
    for (const status of ['up', 'down', 'pending', 'paused', 'down'] as const) {
      const incidents = status === 'down' ? [{ from: ago(2 * HOUR_MS) }] : []
      ids.push(await fixture.insertMonitor({ status, incidents, now: ago(HOUR_MS) }))
    }
    const startsAt = ago(MINUTE_MS)
    await fixture.insertMaintenance({ monitorIds: [ids[4] as number], startsAt, endsAt: ahead(MINUTE_MS) })
    const snapshot = await fixture.loadPage(ids)
    expect(listMonitors(snapshot).map(({ state, since }) => [state, since])).toEqual([
      ['up', ago(HOUR_MS).getTime()],
      ['down', ago(2 * HOUR_MS).getTime()],
      ['pending', null],
      ['paused', ago(HOUR_MS).getTime()],
      ['maintenance', startsAt.getTime()],
    ] satisfies [PublicMonitorState, number | null][])
    expect(snapshot.overall).toBe('partly_down')
    // The page lists no incident of a monitor in maintenance, because it is part of the planned work.
    expect(snapshot.incidents.map(({ label }) => label)).toEqual(['B'])
  })

  it('has bars and uptimes that are computed from its outages of a year', async () => {
    const incidents = [
      // The monitor had an outage of 10 minutes every tenth day for a year. The last one was an hour ago.
      ...Array.from({ length: 36 }, (_, n) => ({
        from: ago(n * 10 * DAY_MS + HOUR_MS),
        to: ago(n * 10 * DAY_MS + HOUR_MS - 10 * MINUTE_MS),
      })),
    ]
    const id = await fixture.insertMonitor({ monitoredSince: ago(365 * DAY_MS), incidents })
    const monitor = firstMonitor(await fixture.loadPage([id]))
    expect(monitor.days).toBe(`0-89;${[9, 19, 29, 39, 49, 59, 69, 79].map((d) => `${d}:600:1`)},89:600:1:36000`)
    const toUptime = (downMinutes: number, minutes: number) => Math.round((1 - downMinutes / minutes) * 100_000) / 1000
    expect(monitor.uptime).toEqual({
      last24Hours: toUptime(10, 24 * 60),
      last30Days: toUptime(30, 30 * 24 * 60),
      last90Days: toUptime(90, 89 * 24 * 60 + 600),
    })
  })

  it('has no uptime if it was never active', async () => {
    const monitor = firstMonitor(await fixture.loadPage([await fixture.insertMonitor({ status: 'pending' })]))
    expect(monitor).toMatchObject({
      days: '',
      uptime: { last24Hours: null, last30Days: null, last90Days: null },
      responseMs: null,
      responseTimes: null,
    })
  })

  it('has response times by hour only if the page shows them', async () => {
    const [fastMonitorId, silentMonitorId] = [await fixture.insertMonitor(), await fixture.insertMonitor()]
    const check = (at: Date, ms: number) => ({ at, ms, cause: null })
    await addChecks(fixture.db, fastMonitorId, [check(ago(1), 100), check(ago(2), 200), check(ago(HOUR_MS), 300)])
    // Hours are rolled up after they end. The previous one is in both tables, but counts only once.
    await fixture.db.query(
      `insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
       select $1, $2, starts_at, responses, 0, sum_ms, '{1}', array[responses]
         from unnest($3::timestamptz[], $4::bigint[], array[3, 2]) as h (starts_at, sum_ms, responses)`,
      [fixture.owner.id, fastMonitorId, [ago(HOUR_MS), ago(23 * HOUR_MS)], [600, 800]],
    )
    const groups = [
      {
        name: 'All',
        monitors: [fastMonitorId, silentMonitorId].map((monitorId) => ({ monitorId, label: `${monitorId}` })),
      },
    ]
    const shownMonitors = listMonitors(await fixture.loadPage([], { groups, showResponseTimes: true }))
    const hours = new Array<number | null>(24).fill(null)
    expect(shownMonitors[0]?.responseTimes).toEqual(hours.with(0, 400).with(22, 200))
    // Checks just before 10:00 are in the hour that began at 09:00, together with the check at 09:00.
    expect(shownMonitors[0]?.responseMs).toBe(280)
    expect(shownMonitors[1]).toMatchObject({ responseTimes: hours, responseMs: null })
    const pageWithoutTimes = await fixture.loadPage([], { groups, slug: 'hidden' })
    expect(firstMonitor(pageWithoutTimes)).toMatchObject({ responseTimes: null, responseMs: null })
  })
})

describe('loading a page', () => {
  it('takes one round trip, with the same statements for 1 and for 200 monitors', async () => {
    const batches: string[][] = []
    const recordingQueries: Queries = {
      query: () => Promise.reject(new Error('Only batches are expected.')),
      batch: (...statements: Statement[]) => {
        batches.push(statements.map(({ text }) => text))
        return fixture.db.batch(...statements)
      },
    }
    const ids = await insertMonitors(fixture.server, fixture.owner.id, 200)
    expect(listMonitors(await fixture.loadPage(ids.slice(0, 1), {}, recordingQueries))).toHaveLength(1)
    expect(
      listMonitors(await fixture.loadPage(ids, { slug: 'large', showResponseTimes: true }, recordingQueries)),
    ).toHaveLength(200)
    expect(batches).toHaveLength(2)
    expect(batches[1]).toEqual(batches[0])
    // One of the statements only sets the plan mode.
    expect(batches[0]).toHaveLength(13)
  })
})

describe('the days of the bars when clocks change', () => {
  it.each([
    // Each time is twenty minutes after midnight in the zone of the page. It is another day in UTC or in the zone of
    // the server.
    { timeZone: 'Europe/Berlin', time: '2026-04-14T22:20:00Z', changed: '2026-03-29', index: 72, hours: 23 },
    { timeZone: 'Europe/Berlin', time: '2026-11-15T23:20:00Z', changed: '2026-10-25', index: 67, hours: 25 },
    { timeZone: 'America/New_York', time: '2026-04-15T04:20:00Z', changed: '2026-03-08', index: 51, hours: 23 },
    { timeZone: 'America/New_York', time: '2026-11-16T05:20:00Z', changed: '2026-11-01', index: 74, hours: 25 },
  ])('are right in $timeZone, where $changed has $hours hours', async (example) => {
    const { timeZone, changed, index, hours } = example
    const time = new Date(example.time)
    const day = localDay(timeZone, changed)
    const monitorId = await fixture.insertMonitor({
      monitoredSince: new Date('2025-01-01'),
      incidents: [
        { from: new Date(day.startsAt - HOUR_MS), to: new Date(day.endsAt + HOUR_MS) },
        { from: new Date(time.getTime() - 30 * MINUTE_MS), to: time },
      ],
    })
    const groups = [{ name: 'Services', monitors: [{ monitorId, label: 'Shop' }] }]
    const pageId = await fixture.insertPage({ timeZone, groups })
    const { snapshot } = (await fixture.find(pageId, fixture.db, { time })) ?? {}
    const [firstDay, lastDay] = hours === 23 ? ['2026-01-16', '2026-04-15'] : ['2026-08-19', '2026-11-16']
    expect(snapshot).toMatchObject({ firstDay, lastDay })
    const seconds = hours * 3600
    expect(snapshot?.groups[0]?.monitors[0]?.days).toBe(
      `0-89;${index - 1}:3600:1,${index}:${seconds}:1:${seconds},${index + 1}:3600:1,88:600:1,89:1200:1:1200`,
    )
  })
})
