/** The days of a status page's bars when clocks change. The server has another time zone than the pages. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { localDay } from '../../src/lib/local-day.ts'
import { HOUR_MS } from '../../src/shared/time.ts'
import { loadSnapshot } from '../../src/status-pages/load/load-snapshot.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { insertStatusMonitor, insertStatusPage } from '../support/status-pages.ts'

let server: TestServer
let owner: TestUser

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_TIME_ZONE: 'Asia/Tokyo' } })
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

it.each([
  // Twenty minutes after midnight in the zone of the page, which is still the previous day in UTC or already the next day in Tokyo.
  { timeZone: 'Europe/Berlin', now: '2026-04-14T22:20:00Z', changed: '2026-03-29', index: 72, hours: 23 },
  { timeZone: 'Europe/Berlin', now: '2026-11-15T23:20:00Z', changed: '2026-10-25', index: 67, hours: 25 },
  { timeZone: 'America/New_York', now: '2026-04-15T04:20:00Z', changed: '2026-03-08', index: 51, hours: 23 },
  { timeZone: 'America/New_York', now: '2026-11-16T05:20:00Z', changed: '2026-11-01', index: 74, hours: 25 },
])('in $timeZone, $changed has $hours hours', async ({ timeZone, now: time, changed, index, hours }) => {
  const { db } = server.services
  const now = new Date(time)
  const day = localDay(timeZone, changed)
  const monitorId = await insertStatusMonitor(db, owner.id, {
    watchedSince: new Date('2025-01-01'),
    incidents: [
      { from: new Date(day.startsAt - HOUR_MS), to: new Date(day.endsAt + HOUR_MS) },
      { from: new Date(now.getTime() - 30 * 60_000), to: now },
    ],
  })
  const slug = `${timeZone.toLowerCase().replaceAll(/[^a-z]/g, '-')}-${hours}`
  const groups = [{ name: 'Services', monitors: [{ monitorId, label: 'Shop' }] }]
  const pageId = await insertStatusPage(db, owner.id, { slug, timeZone, groups })
  const snapshot = await loadSnapshot(db, { userId: owner.id, pageId }, { now, canSubscribe: false })
  const today = `${changed.slice(0, 4)}-${hours === 23 ? '04-15' : '11-16'}`
  expect(snapshot).toMatchObject({ lastDay: today, firstDay: hours === 23 ? '2026-01-16' : '2026-08-19' })
  const seconds = hours * 3600
  expect(snapshot?.groups[0]?.monitors[0]?.days).toBe(
    `0-89;${index - 1}:3600:1,${index}:${seconds}:1:${seconds},${index + 1}:3600:1,88:600:1,89:1200:1:1200`,
  )
})
