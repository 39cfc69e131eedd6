/** Versions of status pages, which decide when copies of the pages are read again. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findPageBySlug } from '../../src/status-pages/load/find-page-store.ts'
import {
  FIRST_PAGE_KEY,
  type KnownPage,
  listPagesToRefresh,
  type PageKey,
  readPageVersion,
} from '../../src/status-pages/load/versions.ts'
import type { Database } from '../../src/storage/database.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import {
  changeStatus,
  insertStatusMaintenance,
  insertStatusMonitor,
  insertStatusPage,
} from '../support/status-pages.ts'

let server: TestServer
let db: Database
let owner: TestUser
const now = new Date('2026-01-05T10:00:00Z')
const at = (time: string) => new Date(`2026-01-05T${time}Z`)

beforeAll(async () => {
  server = await startTestServer()
  db = server.services.db
  owner = await server.createUser('owner')
})
afterAll(() => server.close())

describe('the version of a page', () => {
  let page: PageKey
  let monitorId: number
  let pageNumber = 0

  beforeEach(async () => {
    await db.query('delete from maintenances')
    monitorId = await insertStatusMonitor(db, owner.id, { tags: ['shop'] })
    const groups = [{ name: 'Website', monitors: [{ monitorId, label: 'Shop' }] }]
    const pageId = await insertStatusPage(db, owner.id, { slug: `version-${pageNumber++}`, groups })
    page = { teamId: owner.id, pageId }
  })

  const readVersion = async (time = now) => (await readPageVersion(db, page, time))?.version

  it.each<[string, () => Promise<unknown>]>([
    ['the page changes', () => db.query('update status_pages set content_changed_at = $1', [at('09:00')])],
    ['a monitor goes down', () => changeStatus(db, monitorId, 'down', at('09:59'))],
    ['a monitor is paused', () => db.query("update monitors set status = 'paused' where id = $1", [monitorId])],
    ['a monitor is deleted', () => db.query('delete from monitors where id = $1', [monitorId])],
    ['tags of a monitor change', () => db.query("update monitors set tag_keys = '{api}' where id = $1", [monitorId])],
    [
      'a maintenance is planned',
      () =>
        insertStatusMaintenance(db, owner.id, { monitorIds: [monitorId], startsAt: at('11:00'), endsAt: at('12:00') }),
    ],
  ])('changes if %s', async (_, change) => {
    const versionBefore = await readVersion()
    expect(await readVersion()).toBe(versionBefore)
    await change()
    expect(await readVersion()).not.toBe(versionBefore)
  })

  it('changes when a maintenance begins, is edited, and ends', async () => {
    const startsAt = at('11:00')
    const id = await insertStatusMaintenance(db, owner.id, { allMonitors: true, startsAt, endsAt: at('12:00') })
    const versions = [await readVersion(at('10:59:59')), await readVersion(at('11:00:00'))]
    await db.query('update maintenances set updated_at = $2 where id = $1', [id, at('11:10')])
    versions.push(await readVersion(at('11:10:00')), await readVersion(at('12:00:00')))
    expect(new Set(versions).size).toBe(4)
    expect(await readVersion(at('11:59:59'))).toBe(versions[2])
  })

  it("changes at midnight in the page's time zone", async () => {
    await db.query("update status_pages set time_zone = 'Asia/Kolkata' where id = $1", [page.pageId])
    const versionBefore = await readVersion(at('18:29:59'))
    expect(await readVersion(at('10:00:00'))).toBe(versionBefore)
    expect(await readVersion(at('18:30:00'))).not.toBe(versionBefore)
  })

  it('ignores checks, and monitors of other pages and users', async () => {
    const stranger = await server.createUser(`stranger-${pageNumber}`)
    const versionBefore = await readVersion()
    await db.query('update monitor_states set last_checked_at = $1, last_response_ms = 300', [at('09:59')])
    await insertStatusMonitor(db, owner.id, { status: 'down' })
    await insertStatusMaintenance(db, stranger.id, { allMonitors: true, startsAt: at('09:00'), endsAt: at('12:00') })
    expect(await readVersion()).toBe(versionBefore)
  })

  it('can also be read by the slug of the page', async () => {
    const bySlug = await readPageVersion(db, { slug: `version-${pageNumber - 1}` }, now)
    expect(bySlug).toEqual(await readPageVersion(db, page, now))
    expect(bySlug).toMatchObject({ ...page, slug: `version-${pageNumber - 1}`, privacy: 0 })
    expect(await readPageVersion(db, { slug: 'no-such-page' }, now)).toBeUndefined()
    expect(await readPageVersion(db, { ...page, teamId: owner.id + 1 }, now)).toBeUndefined()
  })
})

describe('pages to refresh', () => {
  beforeEach(() => db.query('delete from status_pages'))

  /** Compares all pages, two at a time. */
  async function listAll(knownPages: readonly KnownPage[]) {
    const changed: KnownPage[] = []
    const deletedPageIds: number[] = []
    for (let after: PageKey | undefined = FIRST_PAGE_KEY; after !== undefined; ) {
      const part = await listPagesToRefresh(db, knownPages, { after, limit: 2 }, now)
      changed.push(...part.changed)
      deletedPageIds.push(...part.deletedPageIds)
      after = part.next
    }
    return { changed, deletedPageIds }
  }

  it('are the new, changed and deleted pages of all users, a limited number at a time', async () => {
    const stranger = await server.createUser('another')
    const ids: number[] = []
    for (const [n, teamId] of [owner.id, stranger.id, owner.id, stranger.id, owner.id].entries()) {
      ids.push(await insertStatusPage(db, teamId, { slug: `refresh-${n}` }))
    }
    const { changed: knownPages } = await listAll([])
    expect(knownPages.map(({ pageId }) => pageId).toSorted((a, b) => a - b)).toEqual(ids)
    expect(await listAll(knownPages)).toEqual({ changed: [], deletedPageIds: [] })

    await db.query('delete from status_pages where id = any ($1)', [[ids[0], ids[3]]])
    await db.query('update status_pages set content_changed_at = $2 where id = $1', [ids[4], at('10:01')])
    const addedPageId = await insertStatusPage(db, owner.id, { slug: 'refresh-new' })
    const { changed, deletedPageIds } = await listAll(knownPages)
    expect(changed.map(({ pageId }) => pageId).toSorted((a, b) => a - b)).toEqual([ids[4], addedPageId])
    expect(deletedPageIds.toSorted((a, b) => a - b)).toEqual([ids[0], ids[3]])
  })

  it('include a deleted page even if no other page is left', async () => {
    const pageId = await insertStatusPage(db, owner.id)
    const { changed: knownPages } = await listAll([])
    await db.query('delete from status_pages')
    expect(await listAll(knownPages)).toEqual({ changed: [], deletedPageIds: [pageId] })
  })
})

describe('a page', () => {
  it('is found by its slug, with its access rules', async () => {
    const options = { slug: 'found', privacy: 2, passwordHash: 'hash' } as const
    const pageId = await insertStatusPage(db, owner.id, { ...options, customDomain: 'status.example.com' })
    expect(await findPageBySlug(db, 'found')).toEqual({ teamId: owner.id, pageId, ...options })
    expect(await findPageBySlug(db, 'status.example.com')).toBeUndefined()
  })
})
