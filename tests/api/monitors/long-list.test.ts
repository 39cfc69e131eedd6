/** Tests pages far from the start of a list. The server reads a page from the nearer end of the list. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { Client } from '../../support/client.ts'
import { defaultHttpSettings, monitorsPath, startMonitorFixture } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const MONITOR_COUNT = 437

const monitors = Array.from({ length: MONITOR_COUNT }, (_, n) => ({
  friendly_name: `Monitor ${n}`,
  type: n % 5 === 1 ? 'ping' : 'http',
  status: n % 4 === 1 ? 'down' : 'up',
}))
const newestFirst = monitors.toReversed()

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  const { owner, ...monitoring } = await startMonitorFixture()
  ;({ server, keyClient } = monitoring)
  const stranger = await server.createUser('stranger')
  // Creating the monitors through the API would take half a minute. Every second monitor belongs to a stranger.
  await server.services.db.query(
    `insert into monitors (user_id, friendly_name, url, type, interval_seconds, retries, retry_interval_seconds,
       remind_every_minutes, http, status, status_changed_at, search_text, created_at, updated_at)
     select owner, name, 'https://example.com/', type, 60, 2, 5, 0, case when type = 'http' then $6::jsonb end, status,
            now(), lower(name), now(), now()
       from unnest($1::text[], $2::text[], $3::text[]) with ordinality as listed (name, type, status, n),
            unnest(array[$4, $5]::bigint[]) owner
      order by n, owner`,
    [
      ...(['friendly_name', 'type', 'status'] as const).map((field) => monitors.map((monitor) => monitor[field])),
      owner.id,
      stranger.id,
      defaultHttpSettings,
    ],
  )
  await server.services.db.query('insert into monitor_states (user_id, monitor_id) select user_id, id from monitors')
})
afterAll(() => server.close())

const pickFields = ({ friendly_name, type, status }: MonitorRecord) => ({ friendly_name, type, status })

describe.each([
  ['', newestFirst],
  ['&status=up', newestFirst.filter(({ status }) => status === 'up')],
  ['&type=http', newestFirst.filter(({ type }) => type === 'http')],
  ['&type=http&status=up', newestFirst.filter(({ type, status }) => type === 'http' && status === 'up')],
  ['&search=monitor', newestFirst],
  ['&search=monitor&status=up', newestFirst.filter(({ status }) => status === 'up')],
])('a long list with %j', (query, expected) => {
  const total = expected.length

  it.each([100, 99, 37, 20])('returns the same monitors in pages of %i', async (pageSize) => {
    expect(total).toBeGreaterThan(2 * 100)
    const totalPages = Math.ceil(total / pageSize)
    for (let page = 1; page <= totalPages + 1; page++) {
      const { data, meta } = (await keyClient.get(`${monitorsPath}?page=${page}&pageSize=${pageSize}${query}`)).body
      expect(data.map(pickFields)).toEqual(expected.slice((page - 1) * pageSize, page * pageSize))
      expect(meta).toEqual({ page, pageSize, total, totalPages })
    }
  })

  it('is correct around its middle and its end', async () => {
    const middle = Math.floor(total / 2)
    for (const page of [middle - 1, middle, middle + 1, middle + 2, total - 1, total, total + 1, 1_000_000_000]) {
      const { data, meta } = (await keyClient.get(`${monitorsPath}?page=${page}&pageSize=1${query}`)).body
      expect(data.map(pickFields)).toEqual(expected.slice(page - 1, page))
      expect(meta).toEqual({ page, pageSize: 1, total, totalPages: total })
    }
  })
})
