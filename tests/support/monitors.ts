/** Creates monitors, and stores what the checker would store about them. */
import type { Environment } from '../../src/config/config.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'
import type { CallOptions, Client } from './client.ts'
import type { TestClock } from './clock.ts'
import { startTestServer, type TestServer, type TestUser } from './server.ts'
import { shareTestServer } from './shared-server.ts'

export const monitorsPath = '/api/monitors'

export const defaultHttpSettings = {
  method: 'GET',
  headers: {},
  body: null,
  expected_status: '200-399',
  keyword: null,
  keyword_absent: null,
  follow_redirects: true,
  verify_tls: true,
  json: [],
  max_response_ms: null,
}

/** The API's record of a new monitor with default settings, without its id. */
export const defaultMonitor = {
  friendly_name: 'Shop',
  url: 'https://example.com/',
  type: 'http',
  watched_website_id: null,
  interval: 60,
  is_active: true,
  status: 'pending',
  timeout: 10,
  retries: 2,
  retry_interval: 5,
  remind_every: 0,
  tags: [],
  depends_on: null,
  in_maintenance: false,
  http: defaultHttpSettings,
  tcp: null,
  dns: null,
  tls: null,
  domain: null,
  heartbeat: null,
  tls_expires_at: null,
  domain_expires_at: null,
  last_checked_at: null,
  last_response_ms: null,
  last_error: null,
  status_changed_at: '2026-01-05T10:00:00.000Z',
  down_since: null,
  is_sample: false,
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: '2026-01-05T10:00:00.000Z',
}

export interface MonitorFixture {
  server: TestServer
  owner: TestUser
  /** Sends an API key of the owner that can read and write monitors. */
  keyClient: Client
}

export async function startMonitorFixture(
  options: { clock?: TestClock; env?: Environment } = {},
): Promise<MonitorFixture> {
  return createMonitorFixture(await startTestServer(options))
}

/** Uses the server that the files of a worker share. */
export async function shareMonitorFixture(): Promise<MonitorFixture> {
  return createMonitorFixture(await shareTestServer())
}

async function createMonitorFixture(server: TestServer): Promise<MonitorFixture> {
  const owner = await server.createUser('owner')
  return { server, owner, keyClient: await owner.withKey('monitors:read', 'monitors:write') }
}

export function postMonitor(client: Client, fields: object = {}, options: CallOptions = {}) {
  return client.post(monitorsPath, { friendly_name: 'Shop', url: 'https://example.com/', ...fields }, options)
}

export async function createMonitor(client: Client, fields: object = {}): Promise<MonitorRecord> {
  const { status, body, text } = await postMonitor(client, fields)
  if (status !== 201) throw new Error(`monitor not created: ${status} ${text}`)
  return body.data
}

/**
 * Inserts ping monitors that are up, named `Host 1` and so on, because creating hundreds through the API takes too
 * long. Returns their ids.
 */
export async function insertMonitors({ services, clock }: Server, teamId: number, count: number): Promise<number[]> {
  const rows = await services.db.query<{ id: number }>(
    `with inserted as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
         remind_every_minutes, status, status_changed_at, search_text, created_at, updated_at)
       select $1, 'Host ' || n, '192.0.2.1', 'ping', 60, 2, 5, 0, 'up', $3, '', $3, $3
         from generate_series(1, $2::int) n
       returning user_id, id
     )
     insert into monitor_states (user_id, monitor_id)
     select user_id, id from inserted
     returning monitor_id as id`,
    [teamId, count, clock.now()],
  )
  return rows.map(({ id }) => id)
}

export async function getMonitor(client: Client, id: number): Promise<MonitorRecord> {
  return (await client.get(`${monitorsPath}/${id}`)).body.data
}

type Server = Pick<TestServer, 'services' | 'clock'>

/** `from` and `to` are seconds before the current time of the server's clock. Without `to`, the period is still open. */
interface Period {
  from: number
  to?: number
}

const getTimeAgo = ({ clock }: Server, seconds: number | undefined) =>
  seconds === undefined ? null : new Date(clock.now().getTime() - 1000 * seconds)

/** Adds a period in which Belfry checked the monitor. */
export async function addMonitoredPeriod(server: Server, monitorId: number, { from, to }: Period): Promise<void> {
  await server.services.db.query(
    `insert into watches (user_id, monitor_id, started_at, ended_at)
     select user_id, id, $2, $3 from monitors where id = $1`,
    [monitorId, getTimeAgo(server, from), getTimeAgo(server, to)],
  )
}

interface IncidentOptions extends Period {
  cause?: string
  detail?: string
  /** Seconds from the start of the incident. */
  confirmedAfterSeconds?: number
  resolution?: 'recovered' | 'paused'
}

/** What the API returns about an ongoing incident that `addIncident` has added without a cause. */
export const ongoingIncidentFields = {
  status: 'open',
  cause: 'timeout',
  detail: 'Response took longer than 10 s',
  resolved_at: null,
  resolution: null,
  during_maintenance: false,
  parent: null,
  impact: null,
  visitors: null,
  diagnosis: null,
  acknowledged_at: null,
  acknowledged_by: null,
  notes: [],
}

/** Returns the id of the incident. */
export async function addIncident(server: Server, monitorId: number, options: IncidentOptions): Promise<number> {
  const { from, to, cause = 'timeout', detail = 'Response took longer than 10 s', confirmedAfterSeconds = 0 } = options
  const resolution = to === undefined ? null : (options.resolution ?? 'recovered')
  const [row] = await server.services.db.query<{ id: number }>(
    `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
     select user_id, id, $2, $3, $4, $5, $6, $7 from monitors where id = $1 returning id`,
    [
      monitorId,
      cause,
      detail,
      getTimeAgo(server, from),
      getTimeAgo(server, from - confirmedAfterSeconds),
      getTimeAgo(server, to),
      resolution,
    ],
  )
  return row?.id as number
}

/**
 * Stores what the checker stores after the first check: the result, the status, a monitored period and, if down, an
 * incident.
 */
export async function setFirstStatus(server: Server, monitorId: number, status: 'up' | 'down'): Promise<void> {
  const { db } = server.services
  const now = server.clock.now()
  await db.query('update monitors set status = $2, status_changed_at = $3 where id = $1', [monitorId, status, now])
  await db.query(
    `update monitor_states set last_checked_at = $2, last_response_ms = 87, last_error = $3,
       tls_expires_at = '2026-04-01T00:00:00Z' where monitor_id = $1`,
    [monitorId, now, status === 'down' ? 'Response took longer than 10 s' : null],
  )
  await addMonitoredPeriod(server, monitorId, { from: 0 })
  if (status === 'down') await addIncident(server, monitorId, { from: 0 })
}

/** Reads the monitor's rows of a table, no matter which user owns them. */
export async function readRows(server: Server, table: string, monitorId: number) {
  return server.services.db.query(`select * from ${table} where monitor_id = $1`, [monitorId])
}

export interface ListedMonitor {
  friendly_name: string
  url: string
  type: MonitorType
  status: string
}

const monitorNames = [
  ...Array.from({ length: 40 }, (_, n) => `Shop ${(n * 7) % 40}`),
  '100% wool',
  'under_score',
  'Müller & Söhne',
  'ΟΔΟΣ',
  'Zebra',
]

/** These monitors have every combination of type and status. */
const listedMonitors = monitorNames.map((friendly_name, n): ListedMonitor => {
  const host = `host-${n}.example.com`
  const type = n % 3 === 0 ? 'ping' : 'http'
  const status = ['up', 'down', 'pending', 'up', 'paused', 'down', 'up'][n % 7] as string
  return { friendly_name, type, status, url: type === 'ping' ? host : `https://${host}/Path_${n}?q=50%25` }
})

export const listedMonitorsNewestFirst = listedMonitors.toReversed()

/** Creates every monitor of `listedMonitors` for the owner, and every second of them for a stranger as well. */
export async function shareMonitorListFixture(): Promise<MonitorFixture & { stranger: TestUser }> {
  const fixture = await shareMonitorFixture()
  const { db } = fixture.server.services
  const stranger = await fixture.server.createUser('stranger')
  const addMonitor = async (client: Client, { status, ...fields }: ListedMonitor) => {
    const { id } = await createMonitor(client, fields)
    await db.query('update monitors set status = $2 where id = $1', [id, status])
  }
  for (const [n, monitor] of listedMonitors.entries()) {
    await addMonitor(fixture.keyClient, monitor)
    if (n % 2 === 0) await addMonitor(stranger.session, monitor)
  }
  return { ...fixture, stranger }
}

export const toListedMonitors = (monitors: MonitorRecord[]): ListedMonitor[] =>
  monitors.map(({ friendly_name, url, type, status }) => ({ friendly_name, url, type, status }))
