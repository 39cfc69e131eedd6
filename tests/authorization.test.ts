/** Calls every route of the server as every kind of caller. The folder `support/authorization` says which response each must get. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scopes } from '../src/shared/scopes.ts'
import { withOwnerConnection } from '../src/storage/open-database.ts'
import { createCallers, isInTurn, METRICS_TOKEN, pickInTurn } from './support/authorization/callers.ts'
import { methodsOf, urlOf } from './support/authorization/expectation.ts'
import { sees } from './support/authorization/membership.ts'
import {
  describeExpectation,
  describeResponse,
  expectationFor,
  type MatrixCaller,
  MatrixClient,
  type MatrixResponse,
  neededScopesOf,
  readsScopes,
  toComparable,
} from './support/authorization/requests.ts'
import { MONITOR_URL, newChannel, type RouteRow, routeRows, type Things } from './support/authorization/table.ts'
import {
  type Cast,
  createCast,
  createThings,
  freshThings,
  OWNER_MARK,
  unknownThings,
} from './support/authorization/things.ts'
import { isFaultsRun } from './support/faults-run.ts'
import { ResponseValidator } from './support/response-validator.ts'
import { startTestServer, type TestServer } from './support/server.ts'

/** A request with this header is not checked for the caller's role. */
const WITHOUT_ROLE_CHECKS = 'x-without-role-checks'

let server: TestServer
let client: MatrixClient
let cast: Cast
let things: Things
let callers: MatrixCaller[]
let ownersRows: Record<string, unknown>
let openApiPaths: Record<string, object>
/** The routes of the server, such as `GET /api/monitors/:id`, without those for HEAD. */
const registeredRoutes = new Set<string>()
/** Routes that sent a response although the database had not confirmed that the caller's key or session still exists. */
const unconfirmedRoutes = new Set<string>()

beforeAll(async () => {
  const recordRoutes = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) if (name !== 'HEAD') registeredRoutes.add(`${name} ${url}`)
    })
    // Turns off what the server itself checks about the caller's role, so that only row level security is left.
    fastify.addHook('preParsing', async ({ caller, headers }) => {
      if (caller !== undefined && headers[WITHOUT_ROLE_CHECKS] !== undefined) caller.right = 'account'
    })
    fastify.addHook('onSend', async ({ caller, method, routeOptions }, { statusCode }) => {
      // A route that is open to visitors treats somebody whose session has ended as a visitor.
      const isVisitorAllowed = caller?.kind === 'session' && routeOptions.config.access?.who === 'optional-caller'
      const isRefused = statusCode === 401 || statusCode === 429 || statusCode >= 500
      if (caller === undefined || caller.isConfirmed || isVisitorAllowed || isRefused) return
      unconfirmedRoutes.add(`${method} ${routeOptions.url} ${statusCode}`)
    })
  }
  subscribe('fastify.initialization', recordRoutes)
  server = await startTestServer({ env: { BELFRY_METRICS_TOKEN: METRICS_TOKEN, BELFRY_DATABASE_TIMEOUT: '60' } })
  unsubscribe('fastify.initialization', recordRoutes)
  const { body } = await server.anyone.get('/api/openapi.json')
  openApiPaths = body.paths
  client = new MatrixClient(server.address, new ResponseValidator(body))
  cast = await createCast(server)
  things = await createThings(server, cast)
  callers = await createCallers(server, cast, things)
  ownersRows = await readOwnersRows()
})
afterAll(async () => {
  await client.close()
  await server.close()
})

/**
 * Reads all rows of the owner, of the owner's websites and of the owner's monitor. Leaves out `last_used_at` and `last_used_ip`, because
 * using a key changes it, and `arrivals`, because anybody's events can be recorded there.
 */
async function readOwnersRows(): Promise<Record<string, unknown>> {
  const { db } = server.services
  const tables = await db.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
      where table_schema = current_schema() and table_name <> 'arrivals'
        and (column_name in ('monitor_id', 'user_id', 'website_id')
             or column_name = 'team_id' and table_name not in ('api_keys', 'audit_log', 'sessions'))
      group by table_name order by table_name`,
  )
  const idsByColumn: Record<string, number[]> = {
    id: [cast.owner.id],
    user_id: [cast.owner.id],
    team_id: [cast.owner.id],
    monitor_id: [things.monitorId],
    website_id: Object.values(things.websiteIds),
  }
  const rows = await Promise.all(
    [...tables, { name: 'users', columns: ['id'] }].map(async ({ name, columns }) => [
      name,
      await db.query(
        `select to_jsonb(t) - '{last_used_at,last_used_ip}'::text[] as row from ${name} t
          where ${columns.map((column, n) => `${column} = any($${n + 1})`).join(' or ')} order by to_jsonb(t)::text`,
        columns.map((column) => idsByColumn[column]),
      ),
    ]),
  )
  return Object.fromEntries(rows)
}

/** Whether the caller acts for the owner of the things, or is an admin who calls a route for admins. */
const isTrusted = ({ kind, membership }: MatrixCaller, row: RouteRow) =>
  kind.startsWith('owner') ||
  (kind === 'admin' && row.rule === 'admin') ||
  (membership !== undefined && sees(membership, row))

const requests = routeRows.flatMap((row) =>
  methodsOf(row).map((method): [string, string, RouteRow] => [`${method} ${urlOf(row)}`, method, row]),
)

/**
 * Whether the request is about things that only some callers may know of. Everybody can see that a public or locked
 * website exists, and routes with the rule `page` don't show things.
 */
function isAboutThings({ rule, query, route, body }: RouteRow): boolean {
  if (/public$|locked$/.test(rule) || rule === 'page') return false
  return route.includes(':') || typeof query === 'function' || (body !== undefined && body.length > 0)
}

/** Each caller has an address of its own, because wrong passwords are limited by address. */
async function send(caller: MatrixCaller, method: string, row: RouteRow, target: Things): Promise<MatrixResponse> {
  const address = `198.51.100.${callers.indexOf(caller)}`
  return client.send(row, method, { ...(await caller.headersFor(row)), 'x-forwarded-for': address }, target)
}

/**
 * Returns which of the owner's keys call the route. If the scopes of a key don't matter, one does. If the route needs a single scope,
 * four keys are enough: one with all scopes, one with this scope alone, one with all the others, and one with only another scope.
 * More scopes never take a right away, so whatever else the route asked for, one of these keys would get a wrong response.
 */
function isCallingKey(key: MatrixCaller, row: RouteRow): boolean {
  const hasAllScopes = key.scopes.length === scopes.length
  if (!readsScopes(row)) return hasAllScopes
  const [neededScope, ...furtherScopes] = neededScopesOf(row)
  if (isFaultsRun || hasAllScopes || neededScope === undefined || furtherScopes.length > 0) return true
  if (key.scopes.length > 1) return !key.scopes.includes(neededScope)
  const otherScopes = scopes.filter((scope) => scope !== neededScope)
  return key.scopes.some((scope) => scope === neededScope || scope === pickInTurn(otherScopes, row))
}

const listCallers = (row: RouteRow): MatrixCaller[] =>
  callers.filter((caller) => (caller.kind === "owner's key" ? isCallingKey(caller, row) : isInTurn(caller, row)))

/** In `npm test`, each route is called by the stranger and by one of the others. */
function listStrangers(row: RouteRow): MatrixCaller[] {
  const otherKinds = ['nobody', 'admin', "stranger's key"]
  const kinds = ['stranger', ...(isFaultsRun ? otherKinds : [pickInTurn(otherKinds, row)])]
  return callers.filter((caller) => kinds.includes(caller.kind) && !isTrusted(caller, row))
}

interface Cell {
  caller: MatrixCaller
  response: MatrixResponse
}

function expectTable(row: RouteRow, method: string, cells: Cell[]): void {
  const toTable = (describeCell: (cell: Cell) => string) =>
    Object.fromEntries(cells.map((cell) => [cell.caller.name, describeCell(cell)]))
  const expectedTable = toTable(({ caller, response }) =>
    describeExpectation(expectationFor(row, method, caller), response),
  )
  const actualTable = toTable(({ caller, response }) => describeResponse(response, expectationFor(row, method, caller)))
  expect(actualTable).toEqual(expectedTable)
}

describe('the authorization table', () => {
  it('has a row for every route of the server, and no other rows', () => {
    expect([...new Set(requests.map(([route]) => route))].sort()).toEqual([...registeredRoutes].sort())
  })

  it('has a row for every operation of the OpenAPI document', () => {
    const operations = Object.entries(openApiPaths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    )
    expect(operations.filter((operation) => !registeredRoutes.has(operation))).toEqual([])
    expect(operations.length).toBeGreaterThan(50)
  })
})

describe('callers without rights', () => {
  it.each(requests)('get what the table says: %s', async (_, method, row) => {
    const refusedCallers = listCallers(row).filter(
      (caller) => !isTrusted(caller, row) || !expectationFor(row, method, caller).isAllowed,
    )
    const cells = await Promise.all(
      refusedCallers.map(async (caller) => ({ caller, response: await send(caller, method, row, things) })),
    )
    expectTable(row, method, cells)
    const isAboutWebsite = /public$|locked$/.test(row.rule)
    for (const { caller, response } of cells) {
      if (!isAboutWebsite) expect(response.text, caller.name).not.toContain(OWNER_MARK)
    }
  })

  it.each(requests.filter(([, , row]) => isAboutThings(row)))(
    "can't tell other users' things from things that don't exist: %s",
    async (_, method, row) => {
      for (const caller of listStrangers(row)) {
        const { isAllowed } = expectationFor(row, method, caller)
        const responses = await Promise.all([things, unknownThings].map((target) => send(caller, method, row, target)))
        const [existingThingResponse, missingThingResponse] = responses.map((response) =>
          toComparable(response, isAllowed),
        )
        expect(existingThingResponse, caller.name).toEqual(missingThingResponse)
      }
    },
  )

  it("can't assign channels or monitors of another user", async () => {
    const { session } = cast.stranger
    const monitorId = (await session.post('/api/monitors', { friendly_name: 'Own', url: MONITOR_URL })).body.data.id
    const channelId = (await session.post('/api/providers', newChannel)).body.data.id
    const callAssignmentRoutes = async (method: string, target: Things) => {
      const responses = [
        await session.call(method, `/api/monitors/${monitorId}/notifications`, {
          json: { provider_id: target.channelId },
        }),
        await session.call(method, `/api/providers/${channelId}/monitors`, {
          json: { monitor_ids: [target.monitorId] },
        }),
      ]
      return responses.map(({ status, text }) => [status, text.replaceAll(/"request_id":.*|\d+/g, '')])
    }
    for (const method of ['POST', 'DELETE']) {
      const otherUsersResponses = await callAssignmentRoutes(method, things)
      expect(otherUsersResponses, method).toEqual(await callAssignmentRoutes(method, unknownThings))
    }
    expect((await session.get(`/api/providers/${channelId}/monitors`)).body.meta.total).toBe(0)
  })

  it('have changed none of the data of the owner', async () => {
    expect(await readOwnersRows()).toEqual(ownersRows)
  })
})

describe('callers with rights', () => {
  it.each(requests)('get what the table says: %s', async (_, method, row) => {
    const allowedCallers = listCallers(row).filter(
      (caller) => isTrusted(caller, row) && expectationFor(row, method, caller).isAllowed,
    )
    const cells = await Promise.all(
      allowedCallers.map(async (caller) => ({
        caller,
        response: await send(caller, method, row, await freshThings(server, cast, row, things)),
      })),
    )
    expectTable(row, method, cells)
  })
})

describe('without the checks of the routes, row level security', () => {
  const kinds = ['viewer', 'guest of a website', 'guest of a status page', 'stranger']
  const writes = requests.filter(([, method]) => method !== 'GET')

  it.each(kinds)('lets a %s change nothing of the team', async (kind) => {
    const caller = callers.find((other) => other.kind === kind) as MatrixCaller
    const rowsBefore = await readOwnersRows()
    for (const [name, method, row] of writes) {
      // The responses may claim success, or be errors of the database.
      await client.sendUnchecked(row, method, { ...(await caller.headersFor(row)), [WITHOUT_ROLE_CHECKS]: '1' }, things)
      if (isFaultsRun) expect(await readOwnersRows(), name).toEqual(rowsBefore)
    }
    expect(await readOwnersRows()).toEqual(rowsBefore)
  })
})

describe('every response', () => {
  it('is sent only after the database has confirmed that the key or session of the caller exists', () => {
    expect([...unconfirmedRoutes]).toEqual([])
  })
})

describe('HEAD', () => {
  it('gets the same status as GET', async () => {
    const getRows = routeRows.filter((row) => methodsOf(row).includes('GET'))
    const kinds = ['nobody', 'owner', 'stranger']
    for (const row of getRows) {
      // Fastify runs the handler of GET for HEAD, so in `npm test`, one caller is enough for each route.
      const headCallers = callers.filter(({ kind }) =>
        isFaultsRun ? kinds.includes(kind) : kind === pickInTurn(kinds, row),
      )
      const cells = await Promise.all(
        headCallers.map(async (caller) => ({ caller, response: await send(caller, 'HEAD', row, things) })),
      )
      expectTable(row, 'GET', cells)
    }
  })
})

describe('without row level security, strangers', () => {
  beforeAll(async () => {
    ownersRows = await readOwnersRows()
    await withOwnerConnection(server.database.connection, async (connection) => {
      const { rows } = await connection.query(
        // The table `users` stays protected, because the SQL function `enter` would fail without its row level
        // security.
        `select relname::text as name from pg_class where relnamespace = 'belfry'::regnamespace and relrowsecurity
            and relname <> 'users'`,
      )
      for (const { name } of rows) await connection.query(`alter table ${name} disable row level security`)
    })
  })

  it.each(requests)('still get what the table says: %s', async (_, method, row) => {
    const stranger = callers.find(({ kind }) => kind === 'stranger') as MatrixCaller
    expectTable(row, method, [{ caller: stranger, response: await send(stranger, method, row, things) }])
  })

  it('have changed none of the data of the owner', async () => {
    expect(await readOwnersRows()).toEqual(ownersRows)
  })
})
