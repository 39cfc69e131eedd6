/** Every kind of caller in the authorization table, and the owner's things. */
import { startSession } from '../../../src/accounts/sign-in.ts'
import { scopes as allScopes, type Scope } from '../../../src/shared/scopes.ts'
import { createUnlockCookie, unlockCookieName } from '../../../src/traffic/stats/unlock-cookie.ts'
import { hashCheaply } from '../cheap-hash.ts'
import type { Client } from '../client.ts'
import type { TestServer, TestUser } from '../server.ts'
import { methodsOf, readsCredentials } from './requests.ts'
import {
  MONITOR_URL,
  newMaintenance,
  newSlug,
  newUpdate,
  PASSWORD,
  type RouteRow,
  routeRows,
  type Things,
} from './table.ts'

/** Part of every name, URL and address of the owner. A response that contains it shows the owner's data. */
export const OWNER_MARK = 'ownermark'
export const METRICS_TOKEN = 'a token for Prometheus'

export interface MatrixCaller {
  name: string
  /** The caller's line in the outcome tables. */
  kind: string
  /** The scopes of an API key. */
  scopes: readonly Scope[]
  headersFor(row: RouteRow): Promise<Record<string, string>>
}

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

const createProvider = ({ session }: TestUser) =>
  createId(session, '/api/providers', { provider_type: 'email', recipient_email: `${OWNER_MARK}@example.com` })

const createKey = ({ session }: TestUser) =>
  createId(session, '/api/keys', { name: OWNER_MARK, scopes: ['monitors:read'] })

const createWebsite = ({ session }: TestUser, domain: string, privacy: number) =>
  createId(session, '/api/v1/websites', { domain, privacy, ...(privacy === 2 && { password: PASSWORD }) })

async function createAssignedPair(owner: TestUser): Promise<{ monitor: number; provider: number }> {
  const [monitor, provider] = await Promise.all([createMonitor(owner), createProvider(owner)])
  await owner.session.post(`/api/monitors/${monitor}/notifications`, { provider_id: provider })
  return { monitor, provider }
}

const createMaintenance = ({ session }: TestUser) =>
  createId(session, '/api/maintenances', { ...newMaintenance, title: OWNER_MARK })

let freshCount = 0

/** Private, so that a public form of the page is not visible to others either. */
const createStatusPage = ({ session }: TestUser) =>
  createId(session, '/api/status-pages', { slug: newSlug(), title: OWNER_MARK, privacy: 1 })

async function createPageWithPrivacy({ session }: TestUser, privacy: number): Promise<string> {
  const slug = newSlug()
  const password = privacy === 2 && { password: PASSWORD }
  await createId(session, '/api/status-pages', { slug, title: OWNER_MARK, privacy, ...password })
  return slug
}

/** A post with two updates, because the first can't be deleted. */
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
  provider: 900_000_002,
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

/** Returns new things for a request that deletes them or that the server limits, otherwise the same things. */
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

const withKey = ({ credentials }: Client) => ({ authorization: `Bearer ${credentials.key}` })
const withSession = (token: string) => ({ cookie: `belfry_session=${token}` })

export async function createCallers(server: TestServer, cast: Cast, things: Things): Promise<MatrixCaller[]> {
  const { owner, stranger, admin } = cast
  const { clock, services } = server
  const { db, secret } = services

  const createCaller = (kind: string, headers: Record<string, string>, name = kind, scopes: readonly Scope[] = []) => ({
    name,
    kind,
    scopes,
    headersFor: async () => headers,
  })

  const sessionHeaders = ({ session }: TestUser) => withSession(session.credentials.cookie as string)

  /** Signing out ends the session, so each request that signs out gets a new one. */
  const inSession = (kind: string, user: TestUser): MatrixCaller => ({
    ...createCaller(kind, sessionHeaders(user)),
    headersFor: async ({ route }) =>
      route === 'DELETE /api/session' ? withSession(await startSession(db, user.id, clock)) : sessionHeaders(user),
  })

  const ownersKey = async (name: string, scopes: readonly Scope[]) =>
    createCaller("owner's key", withKey(await owner.withKey(...scopes)), `owner's key ${name}`, scopes)

  const expiredToken = await startSession(db, owner.id, clock)
  await db.query(`update sessions set expires_at = $1 where id = (select max(id) from sessions)`, [clock.now()])

  const [lockedSite] = await db.query<{ id: number; passwordHash: string }>(
    'select id, password_hash as "passwordHash" from websites where id = $1',
    [things.websites.locked],
  )
  const unlockCookie = createUnlockCookie(secret, lockedSite as NonNullable<typeof lockedSite>, clock.now())

  return [
    createCaller('nobody', {}),
    createCaller('unknown key', { authorization: `Bearer bf_${'A'.repeat(43)}` }),
    createCaller('unknown key', { authorization: 'Basic YTpi' }, 'another kind of credentials'),
    ...(await createEndedCallers(server, owner)),
    createCaller('expired session', withSession(expiredToken)),
    inSession('owner', owner),
    createCaller('owner, on another site', { ...sessionHeaders(owner), origin: 'https://evil.example' }),
    createCaller(
      'owner, on another site',
      { ...sessionHeaders(owner), 'sec-fetch-site': 'cross-site' },
      'owner, on another site, without an Origin header',
    ),
    inSession('stranger', stranger),
    inSession('admin', admin),
    await ownersKey('with all scopes', allScopes),
    ...(await Promise.all(allScopes.map((scope) => ownersKey(`with only ${scope}`, [scope])))),
    ...(await Promise.all(
      allScopes.map((scope) =>
        ownersKey(
          `without ${scope}`,
          allScopes.filter((other) => other !== scope),
        ),
      ),
    )),
    createCaller("stranger's key", withKey(await stranger.withKey()), "stranger's key", allScopes),
    createCaller('guest with the password', {
      cookie: `${unlockCookieName(things.websites.locked)}=${unlockCookie.value}`,
    }),
    createCaller('metrics token', { authorization: `Bearer ${METRICS_TOKEN}` }),
  ]
}

/**
 * Keys and sessions that worked a moment ago, so the server has them in its cache. It forgets a key or session when it notices that it
 * has ended, so every request gets its own.
 */
async function createEndedCallers(server: TestServer, owner: TestUser): Promise<MatrixCaller[]> {
  const { db } = server.services
  const requests = routeRows.filter(readsCredentials).flatMap((row) => methodsOf(row).map(() => row))
  const createCredentials = async (create: (row: RouteRow) => Promise<Client>, warmUpPath: string) => {
    const headersByRow = new Map<RouteRow, Record<string, string>[]>(routeRows.map((row) => [row, []]))
    const remainingRequests = requests.values()
    const createNext = async () => {
      for (const row of remainingRequests) {
        const client = await create(row)
        const { status } = await client.get(warmUpPath)
        if (status !== 200) throw new Error(`${warmUpPath} → ${status}`)
        const { key, cookie } = client.credentials
        headersByRow.get(row)?.push(key === undefined ? withSession(cookie as string) : withKey(client))
      }
    }
    // Hundreds at once would wait too long for a database connection if the machine is busy.
    await Promise.all(Array.from({ length: 8 }, createNext))
    const spareHeaders = [...headersByRow.values()].flat()[0] ?? {}
    return async (row: RouteRow) => headersByRow.get(row)?.pop() ?? spareHeaders
  }
  const keyIds: number[] = []
  const createKeyFor = async (...scopes: Scope[]) => {
    const client = await owner.withKey(...scopes)
    keyIds.push(client.keyId)
    return client
  }
  const [lastSession] = await db.query<{ id: number }>('select max(id) as id from sessions')
  const createSession = async () => server.anyone.as({ cookie: await startSession(db, owner.id, server.clock) })
  const callers = [
    {
      kind: 'revoked key',
      name: 'revoked key with all scopes',
      headersFor: await createCredentials(() => createKeyFor(), '/api/keys'),
    },
    {
      kind: 'revoked key',
      name: 'revoked key without the scope',
      headersFor: await createCredentials(
        ({ rule }) => createKeyFor(rule.startsWith('monitors') ? 'websites:write' : 'monitors:write'),
        '/api/keys',
      ),
    },
    {
      kind: 'ended session',
      name: 'ended session',
      headersFor: await createCredentials(createSession, '/api/session'),
    },
  ]
  // Another node that ends them would do the same, and this server's cache would not notice.
  await db.query('delete from api_keys where id = any($1)', [keyIds])
  await db.query('delete from sessions where id > $1', [lastSession?.id])
  return callers.map((caller) => ({ ...caller, scopes: [] }))
}
