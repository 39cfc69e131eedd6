import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { incidentEndSql } from '../../../src/uptime/store.ts'
import type { Client } from '../../support/client.ts'
import { TestClock } from '../../support/clock.ts'
import {
  addIncident,
  createMonitor,
  monitorsPath,
  ongoingIncidentFields,
  setFirstStatus,
  shareMonitorFixture,
  startMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

const DAY_SECONDS = 86_400

let server: TestServer
let owner: TestUser
let keyClient: Client
let id: number

beforeAll(async () => {
  ;({ server, owner, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())
beforeEach(async () => {
  id = (await createMonitor(keyClient)).id
})

const secondsAgo = (seconds: number) => new Date(server.clock.now().getTime() - 1000 * seconds).toISOString()
const listIncidents = async (query = '') => (await keyClient.get(`${monitorsPath}/${id}/incidents${query}`)).body
const getIds = ({ data }: { data: { id: number }[] }) => data.map((incident) => incident.id)

describe('GET /api/monitors/{id}/incidents', () => {
  it('uses an index, with the row level security of a request', async () => {
    await server.services.db.query(
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution)
       select $1, $2, 'timeout', 'Response took longer than 10 s', t, t, t + interval '1 minute', 'recovered'
         from generate_series(now() - interval '400 days', now() - interval '300 days', interval '1 hour') t`,
      [owner.id, id],
    )
    await server.services.db.query('analyze incidents')
    const { keyId } = await owner.withKey('monitors:read')
    const tenant = server.services.db.as({ teamId: owner.id, userId: owner.id, keyId, sessionId: null })
    const plan = await tenant.query(
      `explain select from incidents where user_id = own_team() and monitor_id = ${id} and ${incidentEndSql} > now()`,
    )
    expect(JSON.stringify(plan)).toMatch(/incidents_end_idx.*Index Cond: .*CASE WHEN \(resolved_at IS NULL\)/)
  })

  it('is empty without incidents', async () => {
    expect(await listIncidents()).toEqual({
      data: [],
      meta: {
        window: '24h',
        from: secondsAgo(DAY_SECONDS),
        to: secondsAgo(0),
        total: 0,
        page: 1,
        pageSize: 100,
        totalPages: 0,
        downtime_seconds: 0,
        uptime_percent: null,
      },
    })
  })

  it('contains resolved and ongoing incidents, newest first', async () => {
    const resolvedId = await addIncident(server, id, {
      from: 7_200,
      to: 3_600.5,
      cause: 'http_status',
      detail: 'Status 503, expected "200–399" \\ \n🔔',
      confirmedAfterSeconds: 10,
    })
    const openId = await addIncident(server, id, { from: 90, confirmedAfterSeconds: 15 })
    expect((await listIncidents()).data).toEqual([
      {
        ...ongoingIncidentFields,
        id: openId,
        monitor_id: id,
        started_at: secondsAgo(90),
        detected_at: secondsAgo(75),
        duration_seconds: 90,
      },
      {
        ...ongoingIncidentFields,
        id: resolvedId,
        monitor_id: id,
        status: 'resolved',
        cause: 'http_status',
        detail: 'Status 503, expected "200–399" \\ \n🔔',
        started_at: secondsAgo(7_200),
        detected_at: secondsAgo(7_190),
        resolved_at: secondsAgo(3_600.5),
        duration_seconds: 3_599,
        resolution: 'recovered',
      },
    ])
  })

  it('supports every cause and resolution', async () => {
    const causes = ['dns', 'connect', 'tls', 'timeout', 'http_status', 'keyword', 'redirect', 'ping', 'blocked', 'body']
    for (const [n, cause] of causes.entries()) {
      const resolution = n % 2 ? 'paused' : 'recovered'
      await addIncident(server, id, { from: 1_000 - n * 10, to: 995 - n * 10, cause, resolution })
    }
    const { data } = await listIncidents()
    expect(data.map(({ cause }: { cause: string }) => cause)).toEqual(causes.toReversed())
    expect(data.slice(0, 2).map((incident: { resolution: string }) => incident.resolution)).toEqual([
      'paused',
      'recovered',
    ])
  })

  it('shows an incident as resolved after its monitor was paused', async () => {
    await setFirstStatus(server, id, 'down')
    server.clock.advance({ seconds: 30 })
    expect((await listIncidents()).data).toMatchObject([{ status: 'open', duration_seconds: 30 }])
    await keyClient.put(`${monitorsPath}/${id}`, { is_active: false })
    server.clock.advance({ seconds: 30 })
    const resolvedIncident = { status: 'resolved', resolution: 'paused', duration_seconds: 30 }
    expect((await listIncidents()).data).toMatchObject([resolvedIncident])
  })

  it('contains no incidents of other monitors', async () => {
    const otherMonitor = await createMonitor(keyClient)
    await addIncident(server, otherMonitor.id, { from: 100, to: 50 })
    expect((await listIncidents()).meta.total).toBe(0)
  })

  it.each([
    ['ends at the start of the window', { from: 2 * DAY_SECONDS, to: DAY_SECONDS }, false],
    ['ends a millisecond after the start of the window', { from: 2 * DAY_SECONDS, to: DAY_SECONDS - 0.001 }, true],
    ['ends a millisecond before the start of the window', { from: 2 * DAY_SECONDS, to: DAY_SECONDS + 0.001 }, false],
    ['starts and ends at the start of the window', { from: DAY_SECONDS, to: DAY_SECONDS }, false],
    ['starts at the start of the window', { from: DAY_SECONDS, to: DAY_SECONDS - 60 }, true],
    ['started long before and is still ongoing', { from: 400 * DAY_SECONDS }, true],
    ['started long before and ends now', { from: 400 * DAY_SECONDS, to: 0 }, true],
    ['starts now', { from: 0 }, true],
    ['starts and ends now', { from: 0, to: 0 }, true],
    ['has no duration', { from: 60, to: 60 }, true],
    ['starts a millisecond from now, by the clock of another node', { from: -0.001 }, false],
    ['ends in the future, by the clock of another node', { from: 60, to: -1 }, true],
  ])('handles an incident that %s', async (_case, period, isIncluded) => {
    await addIncident(server, id, period)
    const { data, meta } = await listIncidents()
    expect([data.length, meta.total]).toEqual(isIncluded ? [1, 1] : [0, 0])
  })

  it.each(['', '12h', '24H', '24', '1d', '30', '6m', '2y', '24h&window=30d'])(
    'rejects the window %j',
    async (window) => {
      const response = await keyClient.get(`${monitorsPath}/${id}/incidents?window=${window}`)
      expect(response.status).toBe(422)
      expect(Object.keys(response.body.errors)).toEqual(['window'])
    },
  )

  it.each(['page=0', 'page=x', 'pageSize=0', 'pageSize=1001', 'pageSize='])('rejects %s', async (query) => {
    const response = await keyClient.get(`${monitorsPath}/${id}/incidents?${query}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([query.split('=')[0]])
  })

  it('has pages of 100 by default, and of at most 1,000', async () => {
    // Two incidents start at each time. Of these two, the one that was added later comes first.
    const ids: number[] = []
    for (let n = 0; n < 105; n++) {
      ids.push(
        await addIncident(server, id, { from: 5_000 - Math.floor(n / 2) * 10, to: 4_995 - Math.floor(n / 2) * 10 }),
      )
    }
    const newestFirst = ids.toReversed()
    const figures = { total: 105, downtime_seconds: 53 * 5 }
    for (const [query, pageSize] of [
      ['', 100],
      ['&pageSize=10', 10],
      ['&pageSize=1000', 1_000],
    ] as const) {
      const totalPages = Math.ceil(105 / pageSize)
      for (let page = 1; page <= totalPages + 1; page++) {
        const body = await listIncidents(`?page=${page}${query}`)
        expect(getIds(body)).toEqual(newestFirst.slice((page - 1) * pageSize, page * pageSize))
        expect(body.meta).toMatchObject({ ...figures, page, pageSize, totalPages })
      }
    }
    expect((await listIncidents('?page=1000000000&pageSize=1000')).meta.total).toBe(105)
  })

  it('is sorted by start time, not by insertion', async () => {
    const lateId = await addIncident(server, id, { from: 100, to: 90 })
    const earlyId = await addIncident(server, id, { from: 200, to: 190 })
    expect(getIds(await listIncidents())).toEqual([lateId, earlyId])
  })
})

describe.each([
  ['2026-08-31T10:00:00.000Z', ['2026-08-30T10', '2026-08-01T10', '2026-02-28T10', '2025-08-31T10']],
  ['2028-02-29T10:00:00.000Z', ['2028-02-28T10', '2028-01-30T10', '2027-08-29T10', '2027-02-28T10']],
  ['2027-01-01T00:00:00.000Z', ['2026-12-31T00', '2026-12-02T00', '2026-07-01T00', '2026-01-01T00']],
])('a window that ends at %s', (now, windowStarts) => {
  let otherServer: TestServer
  let client: Client

  beforeAll(async () => {
    ;({ server: otherServer, keyClient: client } = await startMonitorFixture({ clock: new TestClock(new Date(now)) }))
  })
  afterAll(() => otherServer.close())

  it.each(['24h', '30d', '6mo', '1y'].map((window, n) => [window, `${windowStarts[n]}:00:00.000Z`] as const))(
    'and lasts %s starts at %s',
    async (window, from) => {
      const monitor = await createMonitor(client)
      const seconds = (Date.parse(now) - Date.parse(from)) / 1000
      await addIncident(otherServer, monitor.id, { from: seconds + 60, to: seconds })
      const overlappingId = await addIncident(otherServer, monitor.id, { from: seconds + 60, to: seconds - 60 })
      const { body } = await client.get(`${monitorsPath}/${monitor.id}/incidents?window=${window}`)
      expect(body.meta).toMatchObject({ window, from, to: now, total: 1, downtime_seconds: 60 })
      expect(body.data).toMatchObject([{ id: overlappingId, duration_seconds: 120 }])
    },
  )
})
