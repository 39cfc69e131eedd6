import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../../support/server.ts'
import { joinTeam } from '../../support/teams.ts'
import {
  createListedWebsites,
  domainsNewestFirst,
  listDomains,
  listWebsites,
  websitesPath,
} from '../../support/websites.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  server = await startTestServer()
  keyClient = await createListedWebsites(server)
})
afterAll(() => server.close())

const list = (query = '', client = keyClient) => listWebsites(client, query)

describe('an editor who becomes a guest', () => {
  it.each(['read', 'edit'])(
    'lists, finds and counts only what is shared (%s), and changes no result of others',
    async (access) => {
      const owner = await server.createUser(`owner-${access}`)
      const editor = await server.createUser(`editor-${access}`)
      const ids: number[] = []
      for (const name of ['one', 'two', 'three']) {
        ids.push((await owner.session.post(websitesPath, { domain: `${name}.${access}.example` })).body.data.id)
      }
      await joinTeam(server, owner.id, editor, 'editor')
      const countBoth = async ({ session }: TestUser) => {
        const lists = [await list('', session), await list(`?search=${access}.ex`, session)]
        return lists.map(({ data, meta }) => [data.length, meta.total])
      }
      // The server remembers the role of the editor.
      expect((await editor.session.get('/api/session')).status).toBe(200)
      const shares = { role: 'guest', access, website_ids: ids.slice(0, 1) }
      await owner.session.call('PATCH', `/api/teams/${owner.id}/members/${editor.id}`, { json: shares })
      const shared = [
        [1, 1],
        [1, 1],
      ]
      const all = [
        [3, 3],
        [3, 3],
      ]
      expect(await countBoth(editor)).toEqual(shared)
      expect(await countBoth(owner)).toEqual(all)
      expect(await countBoth(editor)).toEqual(shared)
      expect(await countBoth(owner)).toEqual(all)
    },
  )
})

describe('a search', () => {
  const searchDomains = async (term: string, query = '') => {
    const body = await list(`?search=${encodeURIComponent(term)}&per_page=100${query}`)
    expect(body.meta.total).toBe(body.data.length)
    return listDomains(body)
  }

  it.each([
    ['zebra', ['zebra.example.net']],
    ['ebr', ['zebra.example.net']],
    ['bra.ex', ['zebra.example.net']],
    ['.net', ['zebra.example.net']],
    ['zebra.example.net', ['zebra.example.net']],
    ['ZEBRA', ['zebra.example.net']],
    ['  zebra ', ['zebra.example.net']],
    ['z', ['zebra.example.net']],
    ['shop-13', ['shop-13.example.com']],
    ['-13.', ['shop-13.example.com']],
    ['giraffe', []],
    ['%', []],
    ['_', []],
    ['shop_13', []],
    ['%zebra', []],
    ['\\', []],
    ["'; drop table websites; --", []],
    ['zebra example', []],
    ['müller', ['xn--mller-kva.example.org']],
    ['MÜLL', ['xn--mller-kva.example.org']],
    ['mu\u0308ll', ['xn--mller-kva.example.org']],
    ['ü', ['xn--mller-kva.example.org']],
    ['xn--mller', ['xn--mller-kva.example.org']],
    ['🔔', []],
    ['ΟΔΟΣ', ['xn--pxavbq.example.org']],
    ['οδος', ['xn--pxavbq.example.org']],
    ['οδοσ.EX', ['xn--pxavbq.example.org']],
    ['x'.repeat(5_000), []],
  ])('for %j finds %j', async (term, expected) => {
    expect(await searchDomains(term)).toEqual(expected)
    expect(await searchDomains(term, '&search_by=domain')).toEqual(expected)
  })

  it('with an empty term returns all websites', async () => {
    expect(await searchDomains('')).toHaveLength(33)
    expect(await searchDomains('   ')).toHaveLength(33)
  })

  it('counts a website once even if it matches several times', async () => {
    expect(await searchDomains('e')).toEqual(domainsNewestFirst)
  })

  it('finds only the caller’s websites', async () => {
    expect(await searchDomains('shop.')).toEqual([])
    expect(listDomains(await list('?search=shop.', (await server.createUser('other')).session))).toEqual([])
  })

  it('immediately reflects changes, even after earlier searches', async () => {
    for (let round = 0; round < 3; round++) {
      expect(await searchDomains('gazelle')).toEqual([])
      const { body } = await keyClient.post(websitesPath, { domain: 'gazelle.example.com' })
      expect(await searchDomains('gazelle')).toEqual(['gazelle.example.com'])
      await keyClient.call('PATCH', `${websitesPath}/${body.data.id}`, { form: { email: '1', favorite: 'true' } })
      const [foundWebsite] = (await list('?search=gazelle')).data
      expect(foundWebsite).toMatchObject({ email: 1, favorite: true })
      await keyClient.delete(`${websitesPath}/${body.data.id}`)
    }
  })
})

describe('a search with very many matches', () => {
  let collectorClient: Client
  // A search collects and sorts up to 300 matches, and reads pages of more matches another way. Half of the websites are
  // favorites, and they are more than 300, too.
  const total = 640

  async function createUserWithManyWebsites(userName: string, count: number): Promise<Client> {
    const person = await server.createUser(userName)
    const names = Array.from(
      { length: count },
      (_, n) => `${n % 10 === 3 ? 'ü' : 'u'}-${1_700 + n}.${userName}.bulk.test`,
    )
    // Creating the websites through the API would take most of a minute. A single statement for all of them could run into the
    // statement timeout on a busy machine, because each website has dozens of rows in the search index.
    while (names.length > 0) {
      await server.services.db.query(
        `insert into websites (user_id, domain, unicode, privacy, email, exclude_bots, favorite, time_zone, created_at, updated_at)
         select $1, replace(name, 'ü', 'xn--nonsense'), case when name like 'ü%' then name end, 0, 0, 1, n % 2 = 0, 'UTC', now(), now()
           from unnest($2::text[]) with ordinality as t (name, n)`,
        [person.id, names.splice(0, 250)],
      )
    }
    return person.withKey('websites:read', 'websites:write')
  }

  beforeAll(async () => {
    collectorClient = await createUserWithManyWebsites('collector', total)
  })

  const sorts = ['id', 'domain'].flatMap((by) => ['asc', 'desc'].map((direction) => [by, direction] as const))

  it.each(sorts)('returns the same pages as the full list, sorted by %s %s', async (by, direction) => {
    for (const page of [1, 2, 32, 64, 65]) {
      const query = `&sort_by=${by}&sort=${direction}&page=${page}`
      const fullList = await list(`?${query.slice(1)}`, collectorClient)
      const searchBody = await list(`?search=bulk${query}`, collectorClient)
      expect(searchBody.data).toEqual(fullList.data)
      expect(searchBody.meta).toEqual(fullList.meta)
      expect(searchBody.meta.total).toBe(total)
    }
  })

  it('filters and counts matches', async () => {
    const favorites = await list('?search=bulk&favorite=true&per_page=100', collectorClient)
    expect(favorites.meta.total).toBe(total / 2)
    expect(favorites.data.every(({ favorite }: { favorite: boolean }) => favorite)).toBe(true)
    const dashMatches = await list('?search=-2&per_page=100&sort_by=domain&sort=asc', collectorClient)
    expect(dashMatches.meta.total).toBe(340)
    expect(dashMatches.data).toHaveLength(100)
    expect((await list('?search=%C3%BC&per_page=100', collectorClient)).meta.total).toBe(64)
  })

  it('does not delay writes, even with many concurrent searches', async () => {
    const searches = Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        collectorClient.get(`${websitesPath}?search=${n % 2 ? 'bulk' : '.te'}&sort_by=domain&page=${n + 1}`),
      ),
    )
    const writeResponse = await keyClient.post(websitesPath, { domain: 'meanwhile.example.com' })
    expect(writeResponse.status).toBe(201)
    expect(new Set((await searches).map(({ status }) => status))).toEqual(new Set([200]))
    await keyClient.delete(`${websitesPath}/${writeResponse.body.data.id}`)
  })

  it('stays correct when repeated, and after a change', async () => {
    const count = 320
    const changingCollectorClient = await createUserWithManyWebsites('changing-collector', count)
    const listBefore = await list('?search=bulk', changingCollectorClient)
    expect(listBefore.meta.total).toBe(count)
    expect(await list('?search=bulk', changingCollectorClient)).toEqual(listBefore)
    await changingCollectorClient.delete(`${websitesPath}/${listBefore.data[0].id}`)
    const listAfter = await list('?search=bulk', changingCollectorClient)
    expect(listAfter.meta.total).toBe(count - 1)
    expect(listAfter.data.slice(0, 9)).toEqual(listBefore.data.slice(1))
    expect((await list('', changingCollectorClient)).meta.total).toBe(count - 1)
  })
})
