/** A server with a status page of the owner that shows two of their three monitors, and posts on it. */
import type { PostRecord, PostUpdateRecord } from '../../../src/status-pages/posts/schema.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { insertStatusMonitor, insertStatusPage, insertStatusSubscriber } from '../../support/status-pages.ts'

export const slowPayments = { title: 'Slow payments', body: 'We are looking into it.' }

export interface PostFixture {
  server: TestServer
  owner: TestUser
  stranger: TestUser
  /** A client with an API key of the owner. */
  client: Client
  pageId: number
  postsPath: string
  /** `shop` and `blog` are on the page. `foreign` belongs to the stranger. All but `blog` have an ongoing incident. */
  monitors: Record<'shop' | 'blog' | 'hidden' | 'foreign', number>
  /** Creates a post with the fields of `slowPayments`, unless `fields` replaces them. */
  create(fields?: object): Promise<PostRecord>
  read(postId: number): Promise<PostRecord>
  addUpdate(postId: number, state: string): Promise<PostUpdateRecord>
  listUpdates(postId: number): Promise<PostUpdateRecord[]>
  findIncidentId(monitorId: number): Promise<number>
  /** Stores a confirmed subscriber of these monitors or, without monitors, of the whole page. */
  subscribe(email: string, monitorIds?: number[]): Promise<void>
  /** Returns when the content of the page last changed, in epoch milliseconds. */
  readContentChange(): Promise<number>
  /** Deletes all posts, templates and subscribers, and resets the clock. */
  reset(): Promise<void>
}

export async function startPostFixture(): Promise<PostFixture> {
  const server = await startTestServer()
  const { db } = server.services
  const [owner, stranger] = [await server.createUser('owner'), await server.createUser('stranger')]
  const client = await owner.withKey('status:read', 'status:write')
  const incidents = [{ from: server.clock.now() }]
  const monitors = {
    shop: await insertStatusMonitor(db, owner.id, { name: 'Shop', incidents }),
    blog: await insertStatusMonitor(db, owner.id, { name: 'Blog' }),
    hidden: await insertStatusMonitor(db, owner.id, { name: 'Hidden', incidents }),
    foreign: await insertStatusMonitor(db, stranger.id, { name: 'Foreign', incidents }),
  }
  const shownMonitors = [monitors.shop, monitors.blog].map((monitorId) => ({ monitorId, label: 'Label' }))
  const pageId = await insertStatusPage(db, owner.id, { groups: [{ name: 'Services', monitors: shownMonitors }] })
  const postsPath = `/api/status-pages/${pageId}/posts`

  async function createItem<T>(path: string, fields: object): Promise<T> {
    const { status, body, text } = await client.post(path, fields)
    if (status !== 201) throw new Error(`${path} → ${status} ${text}`)
    return body.data
  }

  return {
    server,
    owner,
    stranger,
    client,
    pageId,
    postsPath,
    monitors,
    create: (fields = {}) => createItem(postsPath, { ...slowPayments, ...fields }),
    read: async (postId) => (await client.get(`${postsPath}/${postId}`)).body.data,
    addUpdate: (postId, state) => createItem(`${postsPath}/${postId}/updates`, { state, body: `It is ${state}.` }),
    listUpdates: async (postId) => (await client.get(`${postsPath}/${postId}/updates`)).body.data,
    async findIncidentId(monitorId) {
      const [row] = await db.query<{ id: number }>('select id from incidents where monitor_id = $1', [monitorId])
      return row?.id as number
    },
    subscribe: (email, monitorIds = []) => insertStatusSubscriber(db, owner.id, pageId, { email, monitorIds }),
    async readContentChange() {
      const [row] = await db.query<{ at: Date }>('select content_changed_at as at from status_pages where id = $1', [
        pageId,
      ])
      return row?.at.getTime() as number
    },
    async reset() {
      await db.query('delete from status_posts')
      await db.query('delete from status_post_templates')
      await db.query('delete from status_subscribers')
      server.clock.reset()
    },
  }
}
