/** Tests lists while two nodes write concurrently. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { WebsiteRecord as Website } from '../../../src/websites/schema.ts'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'
import { listWebsites, websitesPath } from '../../support/websites.ts'

let server: TestServer
let otherNode: TestServer

beforeAll(async () => {
  server = await shareTestServer()
  otherNode = await startTestServer({ database: server.database })
})
afterAll(async () => {
  await otherNode.close()
  await server.close()
})

describe('a list that changes', () => {
  it('never returns a page that contradicts its filter or count', async () => {
    const { session } = await server.createUser('restless')
    const clients = [session, otherNode.anyone.as(session.credentials)]
    let isChanging = true
    const writers = clients.map(async (client, worker) => {
      for (let n = 0; n < 25; n++) {
        const { body } = await client.post(websitesPath, { domain: `torn-${worker}-${n}.example.com`, favorite: true })
        await client.call('PATCH', `${websitesPath}/${body.data.id}`, { json: { favorite: false } })
        if (n % 2 === 0) await client.delete(`${websitesPath}/${body.data.id}`)
      }
    })
    const queries: [query: string, favorite?: boolean][] = [
      [''],
      ['&search=torn'],
      ['&favorite=true', true],
      ['&search=torn&favorite=true', true],
      ['&search=torn&favorite=false', false],
    ]
    const readers = queries.map(async ([query, favorite], n) => {
      while (isChanging) {
        const { data, meta } = await listWebsites(clients[n % 2] as Client, `?per_page=100${query}`)
        expect([query, data.length]).toEqual([query, meta.total])
        if (favorite !== undefined) expect(data.filter((website: Website) => website.favorite !== favorite)).toEqual([])
      }
    })
    await Promise.all(writers)
    isChanging = false
    await Promise.all(readers)
  })

  it('is immediately the same on another node, even after an earlier search on that node', async () => {
    const { session } = await server.createUser('traveller')
    const otherClient = otherNode.anyone.as(session.credentials)
    for (const domain of ['okapi-1.example.com', 'okapi-2.example.com']) {
      const listBefore = await listWebsites(session, '?search=okapi')
      await otherClient.post(websitesPath, { domain })
      const listAfter = await listWebsites(session, '?search=okapi')
      expect(listAfter.meta.total).toBe(listBefore.meta.total + 1)
      expect((await listWebsites(otherClient, '?search=okapi')).data).toEqual(listAfter.data)
    }
    for (const { id } of (await listWebsites(session, '?search=okapi')).data)
      await otherClient.delete(`${websitesPath}/${id}`)
    expect((await listWebsites(session, '?search=okapi')).data).toEqual([])
  })

  it('counts correctly during concurrent creations and deletions', async () => {
    const { session } = await server.createUser('busy')
    // On a busy machine, more workers could wait for each other longer than a request may take.
    const workerCount = 4
    const workers = Array.from({ length: workerCount }, async (_, worker) => {
      for (let n = 0; n < 5; n++) {
        const domain = `busy-${worker}-${n}.example.com`
        const { body } = await session.post(websitesPath, { domain, favorite: n % 2 === 0 })
        await session.call('PATCH', `${websitesPath}/${body.data.id}`, { json: { favorite: n % 3 === 0 } })
        if (n % 2 === 1) await session.delete(`${websitesPath}/${body.data.id}`)
      }
    })
    await Promise.all(workers)
    const fullList = await listWebsites(session, '?per_page=100')
    expect(fullList.data).toHaveLength(3 * workerCount)
    expect(fullList.meta.total).toBe(3 * workerCount)
    const favoriteCount = fullList.data.filter(({ favorite }: Website) => favorite).length
    expect((await listWebsites(session, '?favorite=true')).meta.total).toBe(favoriteCount)
    expect((await listWebsites(session, '?favorite=false')).meta.total).toBe(3 * workerCount - favoriteCount)
  })
})
