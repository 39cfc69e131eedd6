/** What a status page must never contain, because visitors get everything that is in its snapshot. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/shared/time.ts'
import { loadVersionedSnapshot } from '../../src/status-pages/load/versioned-snapshot.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  insertStatusMaintenance,
  insertStatusMonitor,
  insertStatusPage,
  insertStatusPost,
} from '../support/status-pages.ts'

let server: TestServer
let owner: TestUser
const now = new Date('2026-01-05T10:00:00Z')

beforeAll(async () => {
  server = await startTestServer()
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

it('a status page contains nothing of a monitor but its label, state and figures', async () => {
  const { db } = server.services
  const insertMonitor = (name: string) =>
    insertStatusMonitor(db, owner.id, {
      name: `private-name-${name}`,
      url: `https://private-url-${name}.example.com/?token=private`,
      status: 'down',
      tags: [`private-tag-${name}`],
      lastError: 'private-error',
      monitoredSince: new Date(now.getTime() - 365 * DAY_MS),
      incidents: [{ from: new Date(now.getTime() - HOUR_MS), detail: 'private-detail' }],
    })
  const shownId = await insertMonitor('shown')
  const hiddenId = await insertMonitor('hidden')
  await db.query(
    `update monitors set http = '{"method": "POST", "body": "private-body", "headers": {"x-private": "private-header"}}'`,
  )
  const startsAt = new Date(now.getTime() + HOUR_MS)
  const endsAt = new Date(now.getTime() + 2 * HOUR_MS)
  const maintain = (title: string, covers: object) =>
    insertStatusMaintenance(db, owner.id, { title, note: `note of ${title}`, startsAt, endsAt, ...covers })
  await maintain('Upgrade', { monitorIds: [shownId, hiddenId] })
  await maintain('hidden-maintenance', { monitorIds: [hiddenId] })
  await maintain('hidden-by-tag', { tags: ['private-tag-hidden'] })
  const pageId = await insertStatusPage(db, owner.id, {
    groups: [{ name: 'Services', monitors: [{ monitorId: shownId, label: 'Shop' }] }],
    showResponseTimes: true,
  })
  const otherPageId = await insertStatusPage(db, owner.id, {
    slug: 'hidden-slug',
    title: 'hidden-title',
    privacy: 1,
    groups: [
      {
        name: 'hidden-group',
        monitors: [shownId, hiddenId].map((monitorId) => ({ monitorId, label: 'hidden-label' })),
      },
    ],
  })
  await insertStatusPost(db, owner.id, pageId, { title: 'Slow', monitorIds: [shownId, hiddenId] })
  await insertStatusPost(db, owner.id, otherPageId, { title: 'hidden-post', monitorIds: [shownId] })

  const loadedPage = await loadVersionedSnapshot(db, { teamId: owner.id, pageId }, { now, canSubscribe: true })
  const snapshot = loadedPage?.snapshot
  const json = JSON.stringify(snapshot)
  expect(json).not.toMatch(/private-|hidden-|timeout|POST|https?:|owner|example\.com/)
  expect(snapshot).toMatchObject({
    groups: [{ monitors: [{ id: shownId, label: 'Shop', state: 'down' }] }],
    incidents: [{ monitorId: shownId, label: 'Shop' }],
    maintenances: [{ title: 'Upgrade', labels: ['Shop'] }],
    posts: [{ title: 'Slow', labels: ['Shop'] }],
  })
  // A field that is added to the snapshot is public. Check that visitors may see it before you list it.
  expect(listFields(snapshot)).toEqual([
    'access.pageId',
    'access.passwordHash',
    'access.privacy',
    'access.teamId',
    'firstDay',
    'format',
    'groups.monitors.days',
    'groups.monitors.id',
    'groups.monitors.label',
    'groups.monitors.responseMs',
    'groups.monitors.responseTimes',
    'groups.monitors.since',
    'groups.monitors.state',
    'groups.monitors.uptime.last24Hours',
    'groups.monitors.uptime.last30Days',
    'groups.monitors.uptime.last90Days',
    'groups.name',
    'incidents.isInPost',
    'incidents.label',
    'incidents.monitorId',
    'incidents.resolvedAt',
    'incidents.startedAt',
    'lastDay',
    'maintenances.endsAt',
    'maintenances.id',
    'maintenances.isActive',
    'maintenances.isRecurring',
    'maintenances.labels',
    'maintenances.note',
    'maintenances.startsAt',
    'maintenances.title',
    'maintenances.updatedAt',
    'overall',
    'page.accentColor',
    'page.canSubscribe',
    'page.customDomain',
    'page.description',
    'page.feedId',
    'page.feedIdSince',
    'page.logoHash',
    'page.showResponseTimes',
    'page.slug',
    'page.theme',
    'page.timeZone',
    'page.title',
    'posts.createdAt',
    'posts.id',
    'posts.labels',
    'posts.outages.resolvedAt',
    'posts.outages.startedAt',
    'posts.resolvedAt',
    'posts.state',
    'posts.title',
    'posts.updatedAt',
    'posts.updates.body',
    'posts.updates.createdAt',
    'posts.updates.id',
    'posts.updates.state',
    'readAt',
  ])
})

/** Returns the paths of all values, without the indexes of lists. */
function listFields(value: unknown): string[] {
  const visit = (part: unknown, path: string[]): string[] => {
    if (Array.isArray(part)) return part.length === 0 ? [path.join('.')] : part.flatMap((item) => visit(item, path))
    if (part === null || typeof part !== 'object') return [path.join('.')]
    return Object.entries(part).flatMap(([name, field]) => visit(field, [...path, name]))
  }
  return [...new Set(visit(value, []))].sort()
}
