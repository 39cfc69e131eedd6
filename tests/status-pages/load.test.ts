/** Snapshots of status pages, read from a real database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PublicMonitorState } from '../../src/shared/status-pages.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { loadSnapshot, loadVersionedSnapshot } from '../../src/status-pages/load/load-snapshot.ts'
import { readPageVersion } from '../../src/status-pages/load/versions.ts'
import type { SnapshotMonitor, StatusPageSnapshot } from '../../src/status-pages/snapshot.ts'
import type { Statement } from '../../src/storage/batch.ts'
import type { Queries } from '../../src/storage/client.ts'
import type { Database } from '../../src/storage/database.ts'
import { addChecks } from '../support/check-results.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  insertStatusMaintenance,
  insertStatusMonitor,
  insertStatusPage,
  insertStatusPost,
  type StatusPageOptions,
} from '../support/status-pages.ts'

let server: TestServer
let db: Database
let owner: TestUser
const now = new Date('2026-01-05T10:00:00Z')
const ago = (ms: number) => new Date(now.getTime() - ms)
const ahead = (ms: number) => ago(-ms)
const yearAgo = ago(365 * DAY_MS)

beforeAll(async () => {
  server = await startTestServer()
  db = server.services.db
  owner = await server.createUser('owner')
})
afterAll(() => server.close())
beforeEach(async () => {
  for (const table of ['status_pages', 'maintenances', 'monitors']) await db.query(`delete from ${table}`)
})

/** Creates a page with the monitors in one group, labelled A, B, C and so on. */
async function loadPage(
  monitorIds: readonly number[],
  options: StatusPageOptions = {},
  queries: Queries = db,
): Promise<StatusPageSnapshot> {
  const monitors = monitorIds.map((monitorId, n) => ({ monitorId, label: String.fromCharCode(65 + n) }))
  const pageId = await insertStatusPage(db, owner.id, { groups: [{ name: 'Services', monitors }], ...options })
  return load(pageId, queries)
}

async function load(pageId: number, queries: Queries = db): Promise<StatusPageSnapshot> {
  const snapshot = await loadSnapshot(queries, { userId: owner.id, pageId }, { now, canSubscribe: true })
  if (snapshot === undefined) throw new Error('The page was not found.')
  return snapshot
}

const listMonitors = ({ groups }: StatusPageSnapshot) => groups.flatMap(({ monitors }) => monitors)
const firstMonitor = (snapshot: StatusPageSnapshot) => listMonitors(snapshot)[0] as SnapshotMonitor

describe('the snapshot of a page', () => {
  it('contains its settings, and its groups and monitors in their order', async () => {
    const ids: number[] = []
    for (const name of ['Shop', 'API', 'Mail']) ids.push(await insertStatusMonitor(db, owner.id, { name }))
    const [shop, api, mail] = ids as [number, number, number]
    const groups = [
      { name: 'Website', monitors: [mail, shop].map((monitorId) => ({ monitorId, label: `Label of ${monitorId}` })) },
      { name: 'Empty', monitors: [] },
      { name: 'Backend', monitors: [{ monitorId: api, label: 'Interface' }] },
    ]
    const settings = { title: 'Acme', description: 'All systems', theme: 'dark', accentColor: '#0a7d4f' } as const
    const pageId = await insertStatusPage(db, owner.id, { ...settings, groups, privacy: 2, passwordHash: 'hash' })
    const snapshot = await load(pageId)
    expect(snapshot).toMatchObject({
      format: 1,
      readAt: now.getTime(),
      access: { userId: owner.id, pageId, privacy: 2, passwordHash: 'hash' },
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
    const pageId = await insertStatusPage(db, owner.id)
    await db.query(
      `insert into status_page_logos (user_id, page_id, media_type, content, content_hash)
       values ($1, $2, 'image/png', 'image', 'abc')`,
      [owner.id, pageId],
    )
    expect((await load(pageId)).page.logoHash).toBe('abc')
  })

  it('is undefined for a page that does not exist or belongs to somebody else', async () => {
    const stranger = await server.createUser('stranger')
    const pageId = await insertStatusPage(db, owner.id)
    const options = { now, canSubscribe: true }
    expect(await loadSnapshot(db, { userId: owner.id, pageId: pageId + 1 }, options)).toBeUndefined()
    expect(await loadSnapshot(db, { userId: stranger.id, pageId }, options)).toBeUndefined()
    const asStranger = db.as(await readSession(stranger))
    expect(await loadSnapshot(asStranger, { userId: owner.id, pageId }, options)).toBeUndefined()
  })

  it('is the same for the owner, under row level security, and comes with its version', async () => {
    const monitorId = await insertStatusMonitor(db, owner.id, { watchedSince: yearAgo })
    await insertStatusMaintenance(db, owner.id, { allMonitors: true, startsAt: now, endsAt: ahead(HOUR_MS) })
    const snapshot = await loadPage([monitorId], { showResponseTimes: true })
    const { pageId } = snapshot.access
    await insertStatusPost(db, owner.id, pageId, { monitorIds: [monitorId] })
    expect(await load(pageId, db.as(await readSession(owner)))).toEqual(await load(pageId))
    const key = { userId: owner.id, pageId }
    const versioned = await loadVersionedSnapshot(db, key, { now, canSubscribe: true })
    expect(versioned?.version).toEqual(await readPageVersion(db, key, now))
  })
})

/** The session that the user's client has. */
async function readSession({ id: userId }: TestUser) {
  const [row] = await db.query<{ id: number }>('select id from sessions where user_id = $1', [userId])
  return { userId, keyId: null, sessionId: row?.id as number }
}

describe('a monitor on a page', () => {
  it('has the state that visitors may see, and since when', async () => {
    const ids: number[] = []
    for (const status of ['up', 'down', 'pending', 'paused', 'down'] as const) {
      const incidents = status === 'down' ? [{ from: ago(2 * HOUR_MS) }] : []
      ids.push(await insertStatusMonitor(db, owner.id, { status, incidents, now: ago(HOUR_MS) }))
    }
    const startsAt = ago(MINUTE_MS)
    await insertStatusMaintenance(db, owner.id, { monitorIds: [ids[4] as number], startsAt, endsAt: ahead(MINUTE_MS) })
    const snapshot = await loadPage(ids)
    expect(listMonitors(snapshot).map(({ state, since }) => [state, since])).toEqual([
      ['up', ago(HOUR_MS).getTime()],
      ['down', ago(2 * HOUR_MS).getTime()],
      ['pending', null],
      ['paused', ago(HOUR_MS).getTime()],
      ['maintenance', startsAt.getTime()],
    ] satisfies [PublicMonitorState, number | null][])
    expect(snapshot.overall).toBe('partly_down')
    // The incident of a monitor in maintenance is part of the planned work.
    expect(snapshot.incidents.map(({ label }) => label)).toEqual(['B'])
  })

  it('has bars and uptime of a monitor with a year of history', async () => {
    const incidents = [
      // Every tenth day an outage of 10 minutes, a year back. The last one was an hour ago.
      ...Array.from({ length: 36 }, (_, n) => ({
        from: ago(n * 10 * DAY_MS + HOUR_MS),
        to: ago(n * 10 * DAY_MS + HOUR_MS - 10 * MINUTE_MS),
      })),
    ]
    const id = await insertStatusMonitor(db, owner.id, { watchedSince: yearAgo, incidents })
    const monitor = firstMonitor(await loadPage([id]))
    expect(monitor.days).toBe(`0-89;${[9, 19, 29, 39, 49, 59, 69, 79].map((d) => `${d}:600:1`)},89:600:1:36000`)
    const toUptime = (downMinutes: number, minutes: number) => Math.round((1 - downMinutes / minutes) * 100_000) / 1000
    expect(monitor.uptime).toEqual({
      last24Hours: toUptime(10, 24 * 60),
      last30Days: toUptime(30, 30 * 24 * 60),
      last90Days: toUptime(90, 89 * 24 * 60 + 600),
    })
  })

  it('has no uptime if it was never watched', async () => {
    const monitor = firstMonitor(await loadPage([await insertStatusMonitor(db, owner.id, { status: 'pending' })]))
    expect(monitor).toMatchObject({
      days: '',
      uptime: { last24Hours: null, last30Days: null, last90Days: null },
      responseMs: null,
      responseTimes: null,
    })
  })

  it('has response times by hour only if the page shows them', async () => {
    const [fast, silent] = [await insertStatusMonitor(db, owner.id), await insertStatusMonitor(db, owner.id)]
    const check = (at: Date, ms: number) => ({ at, ms, cause: null })
    await addChecks(db, fast, [check(ago(1), 100), check(ago(2), 200), check(ago(HOUR_MS), 300)])
    // Hours are rolled up after they end. The previous one is in both tables, but counts only once.
    await db.query(
      `insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
       select $1, $2, starts_at, responses, 0, sum_ms, '{1}', array[responses]
         from unnest($3::timestamptz[], $4::bigint[], array[3, 2]) as h (starts_at, sum_ms, responses)`,
      [owner.id, fast, [ago(HOUR_MS), ago(23 * HOUR_MS)], [600, 800]],
    )
    const groups = [
      { name: 'All', monitors: [fast, silent].map((monitorId) => ({ monitorId, label: `${monitorId}` })) },
    ]
    const shown = listMonitors(await loadPage([], { groups, showResponseTimes: true }))
    const hours = new Array<number | null>(24).fill(null)
    expect(shown[0]?.responseTimes).toEqual(hours.with(0, 400).with(22, 200))
    // Checks just before 10:00 are in the hour that began at 09:00, together with the check at 09:00.
    expect(shown[0]?.responseMs).toBe(280)
    expect(shown[1]).toMatchObject({ responseTimes: hours, responseMs: null })
    const hidden = await loadPage([], { groups, slug: 'hidden' })
    expect(firstMonitor(hidden)).toMatchObject({ responseTimes: null, responseMs: null })
  })
})

describe('incidents on a page', () => {
  it('are open ones and those of the last 30 days, newest first', async () => {
    const open = { from: ago(60 * DAY_MS) }
    const recent = { from: ago(31 * DAY_MS), to: ago(30 * DAY_MS - 1) }
    const old = { from: ago(32 * DAY_MS), to: ago(30 * DAY_MS) }
    const ids = [
      await insertStatusMonitor(db, owner.id, { status: 'down', incidents: [open] }),
      await insertStatusMonitor(db, owner.id, { incidents: [old, recent] }),
    ]
    expect((await loadPage(ids)).incidents).toEqual([
      { monitorId: ids[1], label: 'B', startedAt: recent.from.getTime(), resolvedAt: recent.to.getTime() },
      { monitorId: ids[0], label: 'A', startedAt: open.from.getTime(), resolvedAt: null },
    ])
  })

  it('are at most 50, and open ones are never left out', async () => {
    const incidents = Array.from({ length: 60 }, (_, n) => ({
      from: ago((n + 1) * HOUR_MS),
      to: ago((n + 1) * HOUR_MS - MINUTE_MS),
    }))
    const ids = [
      await insertStatusMonitor(db, owner.id, { incidents }),
      await insertStatusMonitor(db, owner.id, { status: 'down', incidents: [{ from: ago(20 * DAY_MS) }] }),
    ]
    const { incidents: shown } = await loadPage(ids)
    expect(shown).toHaveLength(50)
    expect(shown.at(-1)).toMatchObject({ label: 'B', resolvedAt: null })
  })

  it('leave out an incident that began and ended in a maintenance', async () => {
    const incidents = [
      { from: ago(5 * HOUR_MS), to: ago(4 * HOUR_MS) },
      { from: ago(3 * HOUR_MS), to: ago(2 * HOUR_MS) },
    ]
    const id = await insertStatusMonitor(db, owner.id, { incidents })
    await db.query('update incidents set during_maintenance = true')
    await db.query('update incidents set announced_at = null where started_at = $1', [incidents[0]?.from])
    expect((await loadPage([id])).incidents.map(({ startedAt }) => startedAt)).toEqual([ago(3 * HOUR_MS).getTime()])
  })
})

describe('maintenances on a page', () => {
  it('are active ones and those of the next 14 days that cover its monitors, with labels of the page', async () => {
    const shop = await insertStatusMonitor(db, owner.id, { tags: ['web'] })
    const api = await insertStatusMonitor(db, owner.id)
    const other = await insertStatusMonitor(db, owner.id, { tags: ['other'] })
    const insert = (title: string, startsAt: Date, endsAt: Date, covers: object) =>
      insertStatusMaintenance(db, owner.id, { title, startsAt, endsAt, ...covers })
    await insert('Planned', ahead(14 * DAY_MS), ahead(15 * DAY_MS), { monitorIds: [api, shop, other], note: 'Note' })
    await insert('Active', ago(HOUR_MS), ahead(1), { tags: ['web'] })
    await insert('All', ahead(HOUR_MS), ahead(2 * HOUR_MS), { allMonitors: true })
    await insert('Over', ago(HOUR_MS), now, { allMonitors: true })
    await insert('Too late', ahead(14 * DAY_MS + 1), ahead(15 * DAY_MS), { allMonitors: true })
    await insert('Other monitor', now, ahead(HOUR_MS), { monitorIds: [other] })
    await insert('Other tag', now, ahead(HOUR_MS), { tags: ['other'] })
    const { maintenances, overall } = await loadPage([shop, api])
    expect(maintenances.map(({ title, isActive, labels }) => [title, isActive, labels])).toEqual([
      ['Active', true, ['A']],
      ['All', false, ['A', 'B']],
      ['Planned', false, ['A', 'B']],
    ])
    expect(maintenances[2]).toMatchObject({
      note: 'Note',
      startsAt: ahead(14 * DAY_MS).getTime(),
      endsAt: ahead(15 * DAY_MS).getTime(),
      isRecurring: false,
    })
    expect(overall).toBe('maintenance')
  })

  it('are at most 20, but all active ones decide the states', async () => {
    const ids = [await insertStatusMonitor(db, owner.id), await insertStatusMonitor(db, owner.id)]
    for (let n = 0; n < 21; n++) {
      const startsAt = ago((30 - n) * MINUTE_MS)
      const monitorIds = [ids[n === 20 ? 1 : 0] as number]
      await insertStatusMaintenance(db, owner.id, { startsAt, endsAt: ahead(HOUR_MS), monitorIds })
    }
    const snapshot = await loadPage(ids)
    expect(snapshot.maintenances).toHaveLength(20)
    expect(listMonitors(snapshot).map(({ state }) => state)).toEqual(['maintenance', 'maintenance'])
  })
})

describe('posts on a page', () => {
  it('are open ones and those resolved in the last 30 days, with their updates', async () => {
    const [shop, other] = [await insertStatusMonitor(db, owner.id), await insertStatusMonitor(db, owner.id)]
    const { access } = await loadPage([shop])
    const insert = (title: string, options: object) =>
      insertStatusPost(db, owner.id, access.pageId, { title, monitorIds: [shop, other], ...options })
    const resolve = (from: Date, at: Date) => ({
      updates: [
        { state: 'investigating', body: 'First', at: from },
        { state: 'resolved', body: 'Last', at },
      ],
    })
    await insert('Old', resolve(ago(40 * DAY_MS), ago(30 * DAY_MS)))
    await insert('Open', { now: ago(50 * DAY_MS) })
    await insert('Recent', resolve(ago(40 * DAY_MS), ago(30 * DAY_MS - 1)))
    const { posts, overall } = await load(access.pageId)
    expect(posts.map(({ title, labels }) => [title, labels])).toEqual([
      ['Recent', ['A']],
      ['Open', ['A']],
    ])
    expect(posts[0]).toMatchObject({ state: 'resolved', resolvedAt: ago(30 * DAY_MS - 1).getTime() })
    expect(posts[0]?.updates.map(({ state, body, createdAt }) => [state, body, createdAt])).toEqual([
      ['investigating', 'First', ago(40 * DAY_MS).getTime()],
      ['resolved', 'Last', ago(30 * DAY_MS - 1).getTime()],
    ])
    expect(overall).toBe('incident')
  })
})

describe('loading a page', () => {
  it('takes one round trip, with the same statements for 1 and for 200 monitors', async () => {
    const batches: string[][] = []
    const recorded: Queries = {
      query: () => Promise.reject(new Error('Only batches are expected.')),
      batch: (...statements: Statement[]) => {
        batches.push(statements.map(({ text }) => text))
        return db.batch(...statements)
      },
    }
    const ids: number[] = []
    for (let n = 0; n < 200; n++) ids.push(await insertStatusMonitor(db, owner.id))
    expect(listMonitors(await loadPage(ids.slice(0, 1), {}, recorded))).toHaveLength(1)
    expect(listMonitors(await loadPage(ids, { slug: 'large', showResponseTimes: true }, recorded))).toHaveLength(200)
    expect(batches).toHaveLength(2)
    expect(batches[1]).toEqual(batches[0])
    // One of the statements only sets the plan mode.
    expect(batches[0]).toHaveLength(12)
  })
})
