/** Snapshots of status pages, read from a real database: incidents, maintenances and posts. */
import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import { ago, ahead, listMonitors, now, useLoadFixture } from './load-support.ts'

const fixture = useLoadFixture()

describe('incidents on a page', () => {
  it('include ongoing incidents and incidents of the last 30 days, newest first', async () => {
    const openIncident = { from: ago(60 * DAY_MS) }
    const recentIncident = { from: ago(31 * DAY_MS), to: ago(30 * DAY_MS - 1) }
    const oldIncident = { from: ago(32 * DAY_MS), to: ago(30 * DAY_MS) }
    const ids = [
      await fixture.insertMonitor({ status: 'down', incidents: [openIncident] }),
      await fixture.insertMonitor({ incidents: [oldIncident, recentIncident] }),
    ]
    expect((await fixture.loadPage(ids)).incidents).toEqual([
      {
        monitorId: ids[1],
        label: 'B',
        startedAt: recentIncident.from.getTime(),
        resolvedAt: recentIncident.to.getTime(),
      },
      { monitorId: ids[0], label: 'A', startedAt: openIncident.from.getTime(), resolvedAt: null },
    ])
  })

  it('are at most 50, and ongoing incidents are never left out', async () => {
    const incidents = Array.from({ length: 60 }, (_, n) => ({
      from: ago((n + 1) * HOUR_MS),
      to: ago((n + 1) * HOUR_MS - MINUTE_MS),
    }))
    const ids = [
      await fixture.insertMonitor({ incidents }),
      await fixture.insertMonitor({ status: 'down', incidents: [{ from: ago(20 * DAY_MS) }] }),
    ]
    const { incidents: shownIncidents } = await fixture.loadPage(ids)
    expect(shownIncidents).toHaveLength(50)
    expect(shownIncidents.at(-1)).toMatchObject({ label: 'B', resolvedAt: null })
  })

  it('leave out an incident that began and ended in a maintenance', async () => {
    const incidents = [
      { from: ago(5 * HOUR_MS), to: ago(4 * HOUR_MS) },
      { from: ago(3 * HOUR_MS), to: ago(2 * HOUR_MS) },
    ]
    const id = await fixture.insertMonitor({ incidents })
    await fixture.db.query('update incidents set during_maintenance = true')
    await fixture.db.query('update incidents set announced_at = null where started_at = $1', [incidents[0]?.from])
    expect((await fixture.loadPage([id])).incidents.map(({ startedAt }) => startedAt)).toEqual([
      ago(3 * HOUR_MS).getTime(),
    ])
  })
})

it('a post contains the outages that it is about', async () => {
  const incidents = [
    { from: ago(9 * HOUR_MS), to: ago(8 * HOUR_MS) },
    { from: ago(3 * HOUR_MS), to: ago(2 * HOUR_MS) },
  ]
  const id = await fixture.insertMonitor({ incidents })
  const groups = [{ name: 'Services', monitors: [{ monitorId: id, label: 'Shop' }] }]
  const pageId = await fixture.insertPage({ groups })
  await fixture.insertPost(pageId, { monitorIds: [id], now: ago(2.5 * HOUR_MS) })
  const snapshot = await fixture.load(pageId)
  const outage = { startedAt: ago(3 * HOUR_MS).getTime(), resolvedAt: ago(2 * HOUR_MS).getTime() }
  expect(snapshot.posts.map(({ outages }) => outages)).toEqual([[outage]])
  expect(snapshot.incidents.map(({ isInPost }) => isInPost)).toEqual([true, undefined])
})

describe('maintenances on a page', () => {
  it('include maintenances of its monitors that are active or begin in the next 14 days, with the labels of the page', async () => {
    const shop = await fixture.insertMonitor({ tags: ['web'] })
    const api = await fixture.insertMonitor()
    const otherMonitorId = await fixture.insertMonitor({ tags: ['other'] })
    const insert = (title: string, startsAt: Date, endsAt: Date, covers: object) =>
      fixture.insertMaintenance({ title, startsAt, endsAt, ...covers })
    await insert('Planned', ahead(14 * DAY_MS), ahead(15 * DAY_MS), {
      monitorIds: [api, shop, otherMonitorId],
      note: 'Note',
    })
    await insert('Active', ago(HOUR_MS), ahead(1), { tags: ['web'] })
    await insert('All', ahead(HOUR_MS), ahead(2 * HOUR_MS), { allMonitors: true })
    await insert('Over', ago(HOUR_MS), now, { allMonitors: true })
    await insert('Too late', ahead(14 * DAY_MS + 1), ahead(15 * DAY_MS), { allMonitors: true })
    await insert('Other monitor', now, ahead(HOUR_MS), { monitorIds: [otherMonitorId] })
    await insert('Other tag', now, ahead(HOUR_MS), { tags: ['other'] })
    const { maintenances, overall } = await fixture.loadPage([shop, api])
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

  it('are at most 20, but all active maintenances decide the states', async () => {
    const ids = [await fixture.insertMonitor(), await fixture.insertMonitor()]
    for (let n = 0; n < 21; n++) {
      const startsAt = ago((30 - n) * MINUTE_MS)
      const monitorIds = [ids[n === 20 ? 1 : 0] as number]
      await fixture.insertMaintenance({ startsAt, endsAt: ahead(HOUR_MS), monitorIds })
    }
    const snapshot = await fixture.loadPage(ids)
    expect(snapshot.maintenances).toHaveLength(20)
    expect(listMonitors(snapshot).map(({ state }) => state)).toEqual(['maintenance', 'maintenance'])
  })
})

describe('posts on a page', () => {
  it('include open posts and posts that were resolved in the last 30 days, with their updates', async () => {
    const [shop, otherMonitorId] = [await fixture.insertMonitor(), await fixture.insertMonitor()]
    const { access } = await fixture.loadPage([shop])
    const insert = (title: string, options: object) =>
      fixture.insertPost(access.pageId, { title, monitorIds: [shop, otherMonitorId], ...options })
    const resolve = (from: Date, at: Date) => ({
      updates: [
        { state: 'investigating', body: 'First', at: from },
        { state: 'resolved', body: 'Last', at },
      ],
    })
    await insert('Old', resolve(ago(40 * DAY_MS), ago(30 * DAY_MS)))
    await insert('Open', { now: ago(50 * DAY_MS) })
    await insert('Recent', resolve(ago(40 * DAY_MS), ago(30 * DAY_MS - 1)))
    const { posts, overall } = await fixture.load(access.pageId)
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

  it('keep their latest updates, even if another post has hundreds', async () => {
    const { access } = await fixture.loadPage([await fixture.insertMonitor()])
    const listUpdates = (count: number, at: Date) =>
      Array.from({ length: count }, (_, n) => ({ state: 'monitoring' as const, body: `Update ${n + 1}`, at }))
    await fixture.insertPost(access.pageId, { title: 'Old', updates: listUpdates(2, ago(50 * DAY_MS)) })
    await fixture.insertPost(access.pageId, { title: 'Busy', updates: listUpdates(600, ago(DAY_MS)) })
    const { posts } = await fixture.load(access.pageId)
    expect(posts.map(({ title, updates }) => [title, updates.length, updates.at(-1)?.body])).toEqual([
      ['Busy', 498, 'Update 600'],
      ['Old', 2, 'Update 2'],
    ])
  })
})
