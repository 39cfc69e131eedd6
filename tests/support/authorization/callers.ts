/** Every kind of caller in the authorization table. */
import { startSession } from '../../../src/accounts/sign-in.ts'
import { scopes as allScopes, type Scope } from '../../../src/shared/scopes.ts'
import { createUnlockCookie, unlockCookieName } from '../../../src/traffic/stats/access.ts'
import type { Client } from '../client.ts'
import { isFaultsRun } from '../faults-run.ts'
import type { TestServer, TestUser } from '../server.ts'
import { methodsOf } from './expectation.ts'
import { createMembers, keyKindOf, memberNames } from './members.ts'
import { type MatrixCaller, readsCredentials } from './requests.ts'
import { type RouteRow, routeRows, type Things } from './table.ts'
import type { Cast } from './things.ts'

export const METRICS_TOKEN = 'a token for Prometheus'

/**
 * Callers of the same kind must get the same responses, so in `npm test` they take turns: each calls half of the routes. In
 * `npm run faults`, every caller calls every route.
 */
const namesByKind: Record<string, readonly string[]> = {
  'unknown key': ['unknown key', 'another kind of credentials'],
  'revoked key': ['revoked key with all scopes', 'revoked key without the scope'],
  'owner, on another site': ['owner, on another site', 'owner, on another site, without an Origin header'],
}

/**
 * One function rejects invalid credentials for all routes, and the role of a member decides what both their sessions and their keys may do. So in
 * `npm test`, these kinds take turns, too.
 */
const alternatingKinds = [
  ['unknown key', 'revoked key'],
  ['expired key', 'key from another address'],
  ['ended session', 'expired session'],
  ...memberNames.map((name) => [name, keyKindOf(name)]),
]

export const pickInTurn = <T>(list: readonly T[], row: RouteRow) => list[routeRows.indexOf(row) % list.length] as T

export function isInTurn({ kind, name }: Pick<MatrixCaller, 'kind' | 'name'>, row: RouteRow): boolean {
  if (isFaultsRun) return true
  const index = alternatingKinds.findIndex((alternatives) => alternatives.includes(kind))
  const kinds = alternatingKinds[index]
  // Each kind calls two routes in a row, so that kinds with two callers use each of them once. Adding the index makes some members use
  // sessions while others use keys.
  if (kinds !== undefined && kinds[(Math.floor(routeRows.indexOf(row) / 2) + index) % kinds.length] !== kind)
    return false
  const names = namesByKind[kind]
  return names === undefined || pickInTurn(names, row) === name
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

  /** Signing out ends the session, so each request that signs out gets a new session. */
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
    [things.websiteIds.locked],
  )
  const unlockCookie = createUnlockCookie(secret, lockedSite as NonNullable<typeof lockedSite>, clock.now())

  return [
    createCaller('nobody', {}),
    createCaller('unknown key', { authorization: `Bearer bf_${'A'.repeat(43)}` }),
    createCaller('unknown key', { authorization: 'Basic YTpi' }, 'another kind of credentials'),
    ...(await createEndedCallers(server, owner)),
    ...(await createMembers(server, owner, things)),
    await createLimitedKey(server, 'expired key', owner),
    await createLimitedKey(server, 'key from another address', owner),
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
      cookie: `${unlockCookieName(things.websiteIds.locked)}=${unlockCookie.value}`,
    }),
    createCaller('metrics token', { authorization: `Bearer ${METRICS_TOKEN}` }),
  ]
}

/** Returns an owner's key with all scopes that has expired, or that may be used only from an address that no caller has. */
async function createLimitedKey(server: TestServer, kind: string, owner: TestUser): Promise<MatrixCaller> {
  const client = await owner.withKey()
  const limit = kind === 'expired key' ? `expires_at = '2020-01-01'` : `allowed_ips = '{192.0.2.1}'`
  await server.services.db.query(`update api_keys set ${limit} where id = $1`, [client.keyId])
  return { name: kind, kind, scopes: allScopes, headersFor: async () => withKey(client) }
}

/**
 * Returns callers with revoked keys and ended sessions that are still in the server's cache. The first request with a
 * key or session makes the server remove it from the cache, so every request gets its own.
 */
async function createEndedCallers(server: TestServer, owner: TestUser): Promise<MatrixCaller[]> {
  const { db } = server.services
  const createCredentials = async (
    caller: Pick<MatrixCaller, 'kind' | 'name'>,
    create: (row: RouteRow) => Promise<{ client: Client; warmUpPath: string }>,
  ): Promise<MatrixCaller> => {
    const rows = routeRows.filter((row) => readsCredentials(row) && isInTurn(caller, row))
    const requests = rows.flatMap((row) => methodsOf(row).map(() => row))
    const headersByRow = new Map<RouteRow, Record<string, string>[]>(routeRows.map((row) => [row, []]))
    const remainingRequests = requests.values()
    const createNext = async () => {
      for (const row of remainingRequests) {
        const { client, warmUpPath } = await create(row)
        const { status } = await client.get(warmUpPath)
        if (status !== 200) throw new Error(`${warmUpPath} → ${status}`)
        const { key, cookie } = client.credentials
        headersByRow.get(row)?.push(key === undefined ? withSession(cookie as string) : withKey(client))
      }
    }
    // Hundreds of simultaneous requests would wait too long for a database connection if the machine is busy.
    await Promise.all(Array.from({ length: 8 }, createNext))
    const spareHeaders = [...headersByRow.values()].flat()[0] ?? {}
    return { ...caller, scopes: [], headersFor: async (row) => headersByRow.get(row)?.pop() ?? spareHeaders }
  }
  const keyIds: number[] = []
  const createKeyFor = async (...scopes: Scope[]) => {
    const client = await owner.withKey(...scopes)
    keyIds.push(client.keyId)
    return { client, warmUpPath: `/api/keys/${client.keyId}` }
  }
  const [lastSession] = await db.query<{ id: number }>('select max(id) as id from sessions')
  const createSession = async () => {
    const cookie = await startSession(db, owner.id, server.clock)
    return { client: server.anyone.as({ cookie }), warmUpPath: '/api/session' }
  }
  const callers = [
    await createCredentials({ kind: 'revoked key', name: 'revoked key with all scopes' }, () => createKeyFor()),
    await createCredentials({ kind: 'revoked key', name: 'revoked key without the scope' }, ({ rule }) =>
      createKeyFor(rule.startsWith('monitors') ? 'websites:write' : 'monitors:write'),
    ),
    await createCredentials({ kind: 'ended session', name: 'ended session' }, createSession),
  ]
  // Delete the rows directly, as another node would, so that this server's cache does not notice.
  await db.query('delete from api_keys where id = any($1)', [keyIds])
  await db.query('delete from sessions where id > $1', [lastSession?.id])
  return callers
}
