import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import type { TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let keyClient: Client

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await (await server.createUser('owner')).withKey('websites:read', 'websites:write')
})
afterAll(() => server.close())

describe('a domain', () => {
  const create = (domain: string) => keyClient.call('POST', websitesPath, { form: { domain } })

  it.each([
    ['UPPER-CASE.Example.COM', 'upper-case.example.com'],
    ['www.with-www.example.com', 'with-www.example.com'],
    ['https://user@url.example.com:8443/path?x=1#y', 'url.example.com'],
    ['with-port.example.com:8080', 'with-port.example.com'],
    ['trailing-dot.example.com.', 'trailing-dot.example.com'],
    ['Bücher.example.com', 'xn--bcher-kva.example.com'],
    ['localhost', 'localhost'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`, expect.stringMatching(/^.{253}$/)],
  ])('sent as %s is stored as %s', async (sentDomain, storedDomain) => {
    const response = await create(sentDomain)
    expect(response.status).toBe(201)
    expect(response.body.data.domain).toEqual(storedDomain)
  })

  it.each([
    ['', '`domain` must not be empty.'],
    ['two words.example.com', '`domain` must not contain spaces.'],
    ['192.0.2.1', '`domain` must be a name, not an IP address.'],
    ['[2001:db8::1]', '`domain` must be a name, not an IP address.'],
    ['co.uk', '`domain` must not be a public suffix; add a name before it.'],
    ['intranet', '`domain` must have at least two parts, such as example.com.'],
    [
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`,
      '`domain` must have at most 253 characters.',
    ],
    ['a'.repeat(3_000), '`domain` must have at most 2048 characters.'],
    ['null\0character.example.com', '`domain` must not contain a null character.'],
  ])('cannot be %j', async (sentDomain, message) => {
    const response = await create(sentDomain)
    expect(response.status).toBe(422)
    expect(response.body.errors).toEqual({ domain: [message] })
  })

  it('is required', async () => {
    const response = await keyClient.call('POST', websitesPath, { form: { privacy: '1' } })
    expect(response.body.errors).toEqual({ domain: ['`domain` is required.'] })
  })

  it('cannot be used twice, in any spelling or by any user', async () => {
    await create('taken.example.com')
    const stranger = await server.createUser('stranger')
    for (const domain of ['taken.example.com', 'WWW.Taken.example.com.', 'https://taken.example.com:99/x']) {
      for (const client of [keyClient, stranger.session]) {
        const response = await client.post(websitesPath, { domain })
        expect(response.status).toBe(422)
        expect(response.body.message).toBe('The domain has already been taken.')
        expect(response.body.errors).toEqual({ domain: ['The domain has already been taken.'] })
      }
    }
    expect((await stranger.session.get(websitesPath)).body.data).toEqual([])
  })

  it('is given to only one of several concurrent requests', async () => {
    const rival = await (await server.createUser('rival')).withKey('websites:write', 'websites:read')
    for (let round = 0; round < 20; round++) {
      const domain = `contested-${round}.example.com`
      const responses = await Promise.all(
        [keyClient, rival, keyClient, rival].map((client) => client.post(websitesPath, { domain })),
      )
      const [winner, ...losers] = responses.toSorted((a, b) => a.status - b.status)
      expect(winner?.status).toBe(201)
      expect(losers.map(({ status, body }) => [status, body.message])).toEqual(
        Array(3).fill([422, 'The domain has already been taken.']),
      )
    }
  })

  it('is available again after its website is deleted', async () => {
    const { body } = await create('again.example.com')
    await keyClient.delete(`${websitesPath}/${body.data.id}`)
    expect((await create('again.example.com')).status).toBe(201)
  })
})
