import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  addIncident,
  addMonitoredPeriod,
  createMonitor,
  monitorsPath,
  readRows,
  setFirstStatus,
  shareMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer, TestUser } from '../../support/server.ts'

let server: TestServer
let owner: TestUser
let keyClient: Client

beforeAll(async () => {
  ;({ server, owner, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())

const tables = ['incidents', 'watches', 'monitor_states', 'assignments']

/** Creates a monitor with rows in every table that references monitors. */
async function createFullMonitor(person: TestUser): Promise<number> {
  const { id } = await createMonitor(person.session)
  await setFirstStatus(server, id, 'down')
  await addMonitoredPeriod(server, id, { from: 900, to: 600 })
  await addIncident(server, id, { from: 800, to: 700 })
  const { db } = server.services
  await db.query(
    `with provider as (
       insert into providers (user_id, provider_type, assign_by_default, settings, created_at, updated_at)
       values ($1, 'email', false, '{"recipient_email": "ops@example.com"}', now(), now()) returning id
     )
     insert into assignments (user_id, monitor_id, provider_id, enabled, created_at)
     select $1, $2, id, true, now() from provider`,
    [person.id, id],
  )
  return id
}

const countRows = async (id: number) =>
  Promise.all(tables.map(async (table) => (await readRows(server, table, id)).length))

describe('DELETE /api/monitors/{id}', () => {
  it('deletes a monitor with all of its data', async () => {
    const [id, otherId] = [await createFullMonitor(owner), await createFullMonitor(owner)]
    expect(await countRows(id)).toEqual([2, 2, 1, 1])
    const response = await keyClient.delete(`${monitorsPath}/${id}`)
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ id, object: 'monitor', deleted: true })
    expect(await countRows(id)).toEqual([0, 0, 0, 0])
    for (const laterResponse of [
      await keyClient.delete(`${monitorsPath}/${id}`),
      await keyClient.get(`${monitorsPath}/${id}`),
      await keyClient.put(`${monitorsPath}/${id}`, { retries: 1 }),
      await keyClient.get(`${monitorsPath}/${id}/incidents`),
    ]) {
      expect(laterResponse.status).toBe(404)
    }
    expect((await keyClient.get(monitorsPath)).body.meta.total).toBe(1)
    expect(await countRows(otherId)).toEqual([2, 2, 1, 1])
  })

  it('accepts a JSON content type without a body', async () => {
    const { id } = await createMonitor(keyClient)
    const headers = { 'content-type': 'application/json' }
    expect((await keyClient.delete(`${monitorsPath}/${id}`, { headers })).status).toBe(200)
  })

  it('succeeds for exactly one of several concurrent requests', async () => {
    const { id } = await createMonitor(keyClient)
    const responses = await Promise.all(Array.from({ length: 5 }, () => keyClient.delete(`${monitorsPath}/${id}`)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  it('is not needed if the user is deleted, which deletes the monitors too', async () => {
    const admin = await server.createUser('admin', { isAdmin: true })
    const leaver = await server.createUser('leaver')
    const id = await createFullMonitor(leaver)
    expect((await admin.session.delete(`/api/users/${leaver.id}`)).status).toBe(200)
    expect(await countRows(id)).toEqual([0, 0, 0, 0])
    for (const table of ['monitors', 'monitor_counts', 'providers']) {
      const rows = await server.services.db.query(`select from ${table} where user_id = $1`, [leaver.id])
      expect([table, rows]).toEqual([table, []])
    }
  })
})
