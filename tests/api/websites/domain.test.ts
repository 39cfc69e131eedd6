import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { path } from '../../support/websites.ts'

let server: TestServer
let key: Client

beforeAll(async () => {
  server = await startTestServer()
  key = await (await server.person('owner')).withKey('websites:read', 'websites:write')
})
afterAll(() => server.close())

describe('a domain', () => {
  const create = (domain: string) => key.call('POST', path, { form: { domain } })

  it.each([
    ['UPPER-CASE.Example.COM', 'upper-case.example.com'],
    ['www.with-www.example.com', 'with-www.example.com'],
    ['https://user@url.example.com:8443/path?x=1#y', 'url.example.com'],
    ['with-port.example.com:8080', 'with-port.example.com'],
    ['trailing-dot.example.com.', 'trailing-dot.example.com'],
    ['Bücher.example.com', 'xn--bcher-kva.example.com'],
    ['localhost', 'localhost'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`, expect.stringMatching(/^.{253}$/)],
  ])('sent as %s is kept as %s', async (sent, kept) => {
    const answer = await create(sent)
    expect(answer.status).toBe(201)
    expect(answer.body.data.domain).toEqual(kept)
  })

  it.each([
    ['', '`domain` must not be empty.'],
    ['two words.example.com', '`domain` must not contain spaces.'],
    ['192.0.2.1', '`domain` must be a name, not an IP address.'],
    ['[2001:db8::1]', '`domain` must be a name, not an IP address.'],
    ['co.uk', '`domain` must not be a public suffix: something has to stand before it.'],
    ['intranet', '`domain` must have at least two parts, such as example.com.'],
    [
      `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(58)}.com`,
      '`domain` must have at most 253 characters.',
    ],
    ['a'.repeat(3_000), '`domain` must have at most 2048 characters.'],
    ['null\0character.example.com', '`domain` must not contain a null character.'],
  ])('cannot be %j', async (sent, sentence) => {
    const answer = await create(sent)
    expect(answer.status).toBe(422)
    expect(answer.body.errors).toEqual({ domain: [sentence] })
  })

  it('is required', async () => {
    const answer = await key.call('POST', path, { form: { privacy: '1' } })
    expect(answer.body.errors).toEqual({ domain: ['`domain` is required.'] })
  })

  it('is taken under every spelling, for everybody', async () => {
    await create('taken.example.com')
    const stranger = await server.person('stranger')
    for (const domain of ['taken.example.com', 'WWW.Taken.example.com.', 'https://taken.example.com:99/x']) {
      for (const client of [key, stranger.session]) {
        const answer = await client.post(path, { domain })
        expect(answer.status).toBe(422)
        expect(answer.body.message).toBe('The domain has already been taken.')
        expect(answer.body.errors).toEqual({ domain: ['The domain has already been taken.'] })
      }
    }
    expect((await stranger.session.get(path)).body.data).toEqual([])
  })

  it('goes to one of two that ask for it at the same moment', async () => {
    const rival = await (await server.person('rival')).withKey('websites:write', 'websites:read')
    for (let round = 0; round < 20; round++) {
      const domain = `contested-${round}.example.com`
      const answers = await Promise.all([key, rival, key, rival].map((client) => client.post(path, { domain })))
      const [won, ...lost] = answers.toSorted((a, b) => a.status - b.status)
      expect(won?.status).toBe(201)
      expect(lost.map(({ status, body }) => [status, body.message])).toEqual(
        Array(3).fill([422, 'The domain has already been taken.']),
      )
    }
  })

  it('is free again once its website is deleted', async () => {
    const { body } = await create('again.example.com')
    await key.delete(`${path}/${body.data.id}`)
    expect((await create('again.example.com')).status).toBe(201)
  })
})
