/** A visitor's id is computed with the salt of the day, which is deleted soon after. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deleteExpired } from '../../src/app/delete-expired.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { createSite, sendView } from '../support/traffic.ts'

let server: TestServer

// Each test has its own server, because it moves the clock by days and expects only its own salts.
beforeEach(async () => {
  server = await startTestServer()
  const ada = await server.createUser('ada')
  await createSite(ada, 'example.com')
  await createSite(ada, 'example.org')
})
afterEach(() => server.close())

const address = '81.2.69.143'

async function visitBothSites(): Promise<void> {
  for (const domain of ['example.com', 'example.org']) await sendView(server, domain, '/', { address })
}

async function readVisitorIds() {
  await server.services.rollup.rollUpAll()
  return server.services.db.query<{ website_id: number; day: string; visitor: number }>(
    'select distinct website_id, day::text, visitor from visits where country is not null order by 1, 2, 3',
  )
}

async function listSaltDays(): Promise<string[]> {
  const salts = await server.services.db.query<{ day: string }>('select day::text from visitor_salts order by 1')
  return salts.map(({ day }) => day)
}

describe('the visitor id', () => {
  it('stays the same all day, and differs between visitors, websites and days', async () => {
    await visitBothSites()
    for (const otherAddress of ['2a02:8100:0:0:0:dead:beef:77', '::ffff:81.2.69.160', '::ffff:5102:4599']) {
      await sendView(server, 'example.com', '/', { address: otherAddress })
    }
    const idsBefore = await readVisitorIds()
    expect(idsBefore).toHaveLength(5)
    await visitBothSites()
    expect(await readVisitorIds()).toEqual(idsBefore)
    server.clock.advance({ days: 1 })
    await visitBothSites()
    const idsAfter = await readVisitorIds()
    expect(idsAfter.length).toBe(idsBefore.length + 2)
    expect(new Set(idsAfter.map(({ visitor }) => visitor)).size).toBe(idsAfter.length)
  })

  it('can no longer be computed once its salt is deleted, after two days', async () => {
    await visitBothSites()
    server.clock.advance({ days: 1 })
    await visitBothSites()
    expect(await listSaltDays()).toEqual(['2026-01-05', '2026-01-06'])
    // In the westernmost time zone, it is still the day of the first salt.
    server.clock.advance({ hours: 13, minutes: 59 })
    await deleteExpired(server.services)
    expect(await listSaltDays()).toEqual(['2026-01-05', '2026-01-06'])
    server.clock.advance({ minutes: 1 })
    await deleteExpired(server.services)
    expect(await listSaltDays()).toEqual(['2026-01-06'])
    server.clock.advance({ days: 1 })
    await deleteExpired(server.services)
    expect(await listSaltDays()).toEqual([])
  })
})
