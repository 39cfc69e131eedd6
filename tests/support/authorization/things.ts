/** The users of the authorization tests, and the owner's things. */
import { hashCheaply } from '../cheap-hash.ts'
import type { Client } from '../client.ts'
import type { TestServer, TestUser } from '../server.ts'
import { MONITOR_URL, newMaintenance, newSlug, newUpdate, PASSWORD, type RouteRow, type Things } from './table.ts'

/** Part of every name, URL and address of the owner. A response that contains it shows the owner's data. */
export const OWNER_MARK = 'ownermark'

export interface Cast {
  owner: TestUser
  stranger: TestUser
  admin: TestUser
}

/** All tests share these users. The user `visitor` only signs in. */
export async function createCast(server: TestServer): Promise<Cast> {
  await server.createUser('visitor')
  return {
    owner: await server.createUser(OWNER_MARK),
    stranger: await server.createUser('stranger'),
    admin: await server.createUser('admin', { isAdmin: true }),
  }
}

const domainOf = (privacy: string, n: number | string = '') => `${privacy}${n}.${OWNER_MARK}.example`

async function createId(client: Client, path: string, body: object): Promise<number> {
  const response = await client.post(path, body)
  if (response.status > 201) throw new Error(`${path} → ${response.status} ${response.text}`)
  return response.body.data.id
}

const createMonitor = ({ session }: TestUser) =>
  createId(session, '/api/monitors', { friendly_name: OWNER_MARK, url: `${MONITOR_URL}${OWNER_MARK}` })

const createChannel = ({ session }: TestUser) =>
  createId(session, '/api/providers', { provider_type: 'email', recipient_email: `${OWNER_MARK}@example.com` })

const createKey = ({ session }: TestUser) =>
  createId(session, '/api/keys', { name: OWNER_MARK, scopes: ['monitors:read'] })

const createWebsite = ({ session }: TestUser, domain: string, privacy: number) =>
  createId(session, '/api/v1/websites', { domain, privacy, ...(privacy === 2 && { password: PASSWORD }) })

async function createAssignedPair(owner: TestUser): Promise<{ monitor: number; channel: number }> {
  const [monitor, channel] = await Promise.all([createMonitor(owner), createChannel(owner)])
  await owner.session.post(`/api/monitors/${monitor}/notifications`, { provider_id: channel })
  return { monitor, channel }
}

const createMaintenance = ({ session }: TestUser) =>
  createId(session, '/api/maintenances', { ...newMaintenance, title: OWNER_MARK })

let freshCount = 0

/** The page is private, so that other users can't see its public address either. */
const createStatusPage = ({ session }: TestUser) =>
  createId(session, '/api/status-pages', { slug: newSlug(), title: OWNER_MARK, privacy: 1 })

async function createPageWithPrivacy({ session }: TestUser, privacy: number): Promise<string> {
  const slug = newSlug()
  const password = privacy === 2 && { password: PASSWORD }
  await createId(session, '/api/status-pages', { slug, title: OWNER_MARK, privacy, ...password })
  return slug
}

/** Creates a post with two updates, because the first update of a post can't be deleted. */
async function createPost({ session }: TestUser, statusPage: number): Promise<{ post: number; postUpdate: number }> {
  const path = `/api/status-pages/${statusPage}/posts`
  const post = await createId(session, path, { title: OWNER_MARK, body: OWNER_MARK })
  return { post, postUpdate: await createId(session, `${path}/${post}/updates`, { ...newUpdate, body: OWNER_MARK }) }
}

const createPostTemplate = ({ session }: TestUser) =>
  createId(session, '/api/status-post-templates', { name: OWNER_MARK, title: OWNER_MARK, body: OWNER_MARK })

/** Nobody can subscribe without a mail server, so the row is inserted directly. */
async function createSubscriber(
  { services: { db } }: TestServer,
  { id }: TestUser,
  statusPage: number,
): Promise<number> {
  const email = `subscriber-${++freshCount}-${OWNER_MARK}@example.com`
  const [row] = await db.query<{ id: number }>(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, created_at)
     values ($1, $2, $3, $3, 'pending', true, now())
     returning id`,
    [id, statusPage, email.toLowerCase()],
  )
  return row?.id as number
}

export async function createThings(server: TestServer, { owner }: Cast): Promise<Things> {
  const [pair, maintenance, statusPage, key, target, ...websiteIds] = await Promise.all([
    createAssignedPair(owner),
    createMaintenance(owner),
    createStatusPage(owner),
    createKey(owner),
    server.createUser(`target-${OWNER_MARK}`),
    createWebsite(owner, domainOf('public'), 0),
    createWebsite(owner, domainOf('private'), 1),
    createWebsite(owner, domainOf('locked'), 2),
  ])
  const [publicId = 0, privateId = 0, lockedId = 0] = websiteIds
  // Verifying a hash that the server creates takes 45 ms, and many requests send this password.
  await server.services.db.query('update websites set password_hash = $2 where id = $1', [
    lockedId,
    await hashCheaply(PASSWORD),
  ])
  return {
    ...pair,
    maintenance,
    statusPage,
    ...(await createPost(owner, statusPage)),
    subscriber: await createSubscriber(server, owner, statusPage),
    postTemplate: await createPostTemplate(owner),
    key,
    user: target.id,
    websites: { public: publicId, private: privateId, locked: lockedId },
    domains: { public: domainOf('public'), private: domainOf('private'), locked: domainOf('locked') },
    slugs: {
      public: await createPageWithPrivacy(owner, 0),
      private: await createPageWithPrivacy(owner, 1),
      locked: await createPageWithPrivacy(owner, 2),
    },
  }
}

export const unknownThings: Things = {
  monitor: 900_000_001,
  channel: 900_000_002,
  maintenance: 900_000_008,
  statusPage: 900_000_009,
  post: 900_000_010,
  postUpdate: 900_000_011,
  postTemplate: 900_000_012,
  subscriber: 900_000_013,
  key: 900_000_003,
  user: 900_000_004,
  websites: { public: 900_000_005, private: 900_000_006, locked: 900_000_007 },
  domains: { public: 'public.unknown.example', private: 'private.unknown.example', locked: 'locked.unknown.example' },
  slugs: { public: 'unknown-public', private: 'unknown-private', locked: 'unknown-locked' },
}

/**
 * Returns new things for a request that deletes them, or that the server limits. All other requests share the same
 * things.
 */
export async function freshThings(server: TestServer, { owner }: Cast, row: RouteRow, things: Things): Promise<Things> {
  const { route } = row
  if (!route.startsWith('DELETE') && !route.endsWith('/test')) return things
  const n = ++freshCount
  if (route.includes('/api/v1/websites/'))
    return { ...things, websites: { ...things.websites, private: await createWebsite(owner, domainOf('fresh', n), 1) } }
  if (route.includes('/api/maintenances')) return { ...things, maintenance: await createMaintenance(owner) }
  if (route.includes('/subscribers/'))
    return { ...things, subscriber: await createSubscriber(server, owner, things.statusPage) }
  if (route.includes('/posts/')) return { ...things, ...(await createPost(owner, things.statusPage)) }
  if (route.includes('/api/status-post-templates')) return { ...things, postTemplate: await createPostTemplate(owner) }
  if (route.includes('/api/status-pages')) return { ...things, statusPage: await createStatusPage(owner) }
  if (route.includes('/api/keys')) return { ...things, key: await createKey(owner) }
  if (route.includes('/api/users')) return { ...things, user: (await server.createUser(`fresh-${n}`)).id }
  return { ...things, ...(await createAssignedPair(owner)) }
}
