import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  createMonitor,
  listedMonitorsNewestFirst,
  monitorsPath,
  shareMonitorListFixture,
  toListedMonitors,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorListFixture())
})
afterAll(() => server.close())

async function searchNames(term: string, query = ''): Promise<string[]> {
  const { body } = await keyClient.get(`${monitorsPath}?search=${encodeURIComponent(term)}&pageSize=100${query}`)
  expect(body.meta.total).toBe(body.data.length)
  return toListedMonitors(body.data).map(({ friendly_name }) => friendly_name)
}

describe('a monitor search', () => {
  it.each([
    ['zebra', ['Zebra']],
    ['ZEBRA', ['Zebra']],
    ['  ebr ', ['Zebra']],
    ['host-44.', ['Zebra']],
    ['HTTPS://HOST-44.EXAMPLE.COM/PATH_44', ['Zebra']],
    ['Path_44?Q', ['Zebra']],
    ['shop 39', ['Shop 39']],
    ['0% w', ['100% wool']],
    ['r_s', ['under_score']],
    ['%zebra', []],
    ['z_bra', []],
    ['zebra%', []],
    ['\\', []],
    ["'; drop table monitors; --", []],
    ['zebra example', []],
    ['müller', ['Müller & Söhne']],
    ['MÜLLER & SÖHNE', ['Müller & Söhne']],
    ['mu\u0308ll', ['Müller & Söhne']],
    ['muller', []],
    ['οδος', ['ΟΔΟΣ']],
    ['Οδοσ', ['ΟΔΟΣ']],
    ['🔔', []],
    ['x'.repeat(5_000), []],
  ])('for %j finds %j', async (term, expected) => {
    expect(await searchNames(term)).toEqual(expected)
  })

  it('treats % and _ as ordinary characters', async () => {
    const namesWithPath = listedMonitorsNewestFirst
      .filter(({ type }) => type === 'http')
      .map(({ friendly_name }) => friendly_name)
    expect(await searchNames('=50%')).toEqual(namesWithPath)
    expect(await searchNames('th_')).toEqual(namesWithPath)
    const monitorsWithPercent = listedMonitorsNewestFirst.filter(({ friendly_name: name, url }) =>
      `${name} ${url}`.includes('%'),
    )
    expect(await searchNames('%')).toEqual(monitorsWithPercent.map(({ friendly_name }) => friendly_name))
  })

  it('returns all monitors for an empty term', async () => {
    const allNames = listedMonitorsNewestFirst.map(({ friendly_name }) => friendly_name)
    for (const term of ['', '   ']) expect(await searchNames(term)).toEqual(allNames)
  })

  it('counts a monitor once, however often it matches', async () => {
    expect(await searchNames('o')).toEqual(listedMonitorsNewestFirst.map(({ friendly_name }) => friendly_name))
  })

  it('can be combined with filters', async () => {
    const { type, status } = listedMonitorsNewestFirst.find(({ friendly_name }) => friendly_name === 'Shop 39') ?? {}
    expect(status).toMatch(/^(up|down)$/)
    expect(await searchNames('shop 39', `&type=${type}&status=${status}`)).toEqual(['Shop 39'])
    expect(await searchNames('shop 39', `&type=${type === 'http' ? 'ping' : 'http'}`)).toEqual([])
    expect(await searchNames('shop 39', `&status=${status === 'up' ? 'down' : 'up'}`)).toEqual([])
  })

  it('finds created and changed monitors immediately, and no deleted monitors', async () => {
    expect(await searchNames('gazelle')).toEqual([])
    const { id } = await createMonitor(keyClient, { friendly_name: 'Gazelle', url: 'https://antelope.example/' })
    const change = (fields: object) => keyClient.put(`${monitorsPath}/${id}`, fields)
    expect([await searchNames('gazelle'), await searchNames('antelope')]).toEqual([['Gazelle'], ['Gazelle']])
    await change({ friendly_name: 'Okapi' })
    expect([await searchNames('gazelle'), await searchNames('okapi'), await searchNames('antelope')]).toEqual([
      [],
      ['Okapi'],
      ['Okapi'],
    ])
    await change({ url: 'https://giraffe.example/x' })
    expect([await searchNames('antelope'), await searchNames('giraffe.example/x')]).toEqual([[], ['Okapi']])
    await change({ type: 'ping' })
    expect([await searchNames('giraffe.example/x'), await searchNames('giraffe.example')]).toEqual([[], ['Okapi']])
    await keyClient.delete(`${monitorsPath}/${id}`)
    expect(await searchNames('okapi')).toEqual([])
  })

  it('searches only names and URLs', async () => {
    const http = { headers: { 'X-Wombat': 'wombat secret' }, body: 'wombat', keyword: 'wombat' }
    const { id } = await createMonitor(keyClient, { http })
    expect(await searchNames('wombat')).toEqual([])
    await keyClient.delete(`${monitorsPath}/${id}`)
  })

  it('does not block other requests, even with many concurrent searches', async () => {
    const terms = Array.from({ length: 40 }, (_, n) => (n % 2 ? 'shop' : 'example'))
    const searches = Promise.all(terms.map((term) => keyClient.get(`${monitorsPath}?search=${term}`)))
    const { id } = await createMonitor(keyClient)
    await keyClient.delete(`${monitorsPath}/${id}`)
    expect(new Set((await searches).map(({ status }) => status))).toEqual(new Set([200]))
  })
})
