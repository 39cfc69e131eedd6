/** The host that a visit began on. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { createSite, fetchOverview, fetchStatistics, sendView } from '../../support/traffic.ts'

let server: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer()
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

it('the statistics show on which host a visit began, and can be filtered by host', async () => {
  const domain = 'hosts.example.com'
  const id = await createSite(ada, domain)
  const view = (host: string, path: string, address: string) =>
    sendView(server, domain, path, { address, fields: { u: `https://${host}${path}` } })
  await view(`WWW.${domain}:8443`, '/a', '81.2.69.142')
  await view(domain, '/b', '81.2.69.142') // This view is part of the same visit.
  await view(`${domain}.`, '/c', '81.2.69.143')
  await view('münchen.example', '/d', '81.2.69.144')
  await sendView(server, domain, '/', { address: '81.2.69.145', fields: { u: 'app:start' } })
  const read = (query: string) => fetchStatistics(ada.session, id, `sort_by=value&sort=asc&${query}`)
  expect(await read('name=hostname')).toEqual([
    { value: domain, count: 1 },
    { value: `www.${domain}`, count: 1 },
    { value: 'xn--mnchen-3ya.example', count: 1 },
  ])
  expect(await read(`name=page&filter=hostname:www.*`)).toEqual([
    { value: '/a', count: 1 },
    { value: '/b', count: 1 },
  ])
  expect(await read(`name=hostname&filter=page:/c`)).toEqual([{ value: domain, count: 1 }])
  const { totals, panels } = await fetchOverview(ada.session, id, `filter=hostname:${domain}`)
  expect([totals.visitors, totals.visits, panels.page]).toEqual([1, 1, [{ value: '/c', count: 1 }]])
  expect((await fetchOverview(ada.session, id)).totals.visitors).toBe(4)
})
