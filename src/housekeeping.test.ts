import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../tests/support/server.ts'
import { tidy } from './housekeeping.ts'
import { settleCounts } from './storage/settle-counts.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ env: { BELFRY_RATE_LIMIT: '100' } })
})
afterAll(() => server.close())

const countOf = async (table: string) =>
  (await server.services.db.query(`select count(*) as n from ${table}`))[0]?.['n']

describe('housekeeping', () => {
  it('removes what has ended and nothing else', async () => {
    const { services, clock } = server
    const admin = await server.person('admin', { isAdmin: true })
    const body = { email: 'new@example.com', password: 'correct horse battery' }
    await admin.session.post('/api/users', body, { headers: { 'idempotency-key': 'once' } })
    await settleCounts(services.db, services.counter)
    await tidy(services)
    expect([await countOf('sessions'), await countOf('idempotency_keys')]).toEqual([1, 1])
    expect(await countOf('rate_counts')).toBeGreaterThan(0)

    clock.advance({ days: 2 })
    await tidy(services)
    expect([await countOf('sessions'), await countOf('idempotency_keys'), await countOf('rate_counts')]).toEqual([
      1, 0, 0,
    ])

    clock.advance({ days: 29 })
    await tidy(services)
    expect(await countOf('sessions')).toBe(0)
  })
})
