import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { shareTestServer } from '../../support/shared-server.ts'
import { websitesPath } from '../../support/websites.ts'

let server: TestServer
let keyClient: Client
let siteCount = 0

beforeAll(async () => {
  server = await shareTestServer()
  keyClient = await (await server.createUser('owner')).withKey('websites:read', 'websites:write')
})
afterAll(() => server.close())

const createDomain = () => `site-${siteCount++}.example.com`

async function readPasswordHash(id: number): Promise<string | null> {
  return (await server.services.db.query('select password_hash from websites where id = $1', [id]))[0]?.[
    'password_hash'
  ]
}

async function countWebsites(): Promise<number> {
  return (await keyClient.get(websitesPath)).body.meta.total
}

describe('POST /api/v1/websites', () => {
  it('requires only a domain; all other fields have defaults', async () => {
    const response = await keyClient.call('POST', websitesPath, { form: { domain: 'example.org' } })
    expect(response.status).toBe(201)
    const { id, ...fields } = response.body.data
    expect(response.headers.get('location')).toBe(`${server.address}${websitesPath}/${id}`)
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(fields).toEqual({
      domain: 'example.org',
      privacy: 0,
      has_password: false,
      email: 0,
      exclude_bots: 1,
      exclude_params: null,
      exclude_ips: null,
      favorite: false,
      time_zone: 'UTC',
      tags: [],
      watch_traffic: false,
      watch_spikes: false,
      silence_alarms_a_year: 1,
      quiet_days: [],
      holidays: null,
      is_sample: false,
      created_at: '2026-01-05T10:00:00.000Z',
      updated_at: '2026-01-05T10:00:00.000Z',
    })
    expect((await keyClient.get(`${websitesPath}/${id}`)).body.data).toEqual({ id, ...fields })
  })

  it('returns the website with its registrable domain', async () => {
    const showMeta = async (domain: string) => {
      const { id } = (await keyClient.post(websitesPath, { domain })).body.data
      return (await keyClient.get(`${websitesPath}/${id}`)).body.meta
    }
    expect(await showMeta('shop.registered.co.uk')).toEqual({ registrable_domain: 'registered.co.uk' })
    expect(await showMeta('localhost')).toEqual({ registrable_domain: null })
  })

  describe.each(['form', 'json'])('as %s', (encoding) => {
    const create = (fields: Record<string, string>) =>
      keyClient.call('POST', websitesPath, { [encoding]: { domain: createDomain(), ...fields } })

    it.each([
      ['privacy', '0', 0],
      ['privacy', '1', 1],
      ['password', 'open sesame', undefined],
      ['email', '0', 0],
      ['email', '1', 1],
      ['exclude_bots', '0', 0],
      ['exclude_bots', '1', 1],
      ['exclude_params', 'utm_source\r\n\r\nutm_*\r\nutm_source', 'utm_source\nutm_*'],
      ['exclude_params', '&', '&'],
      ['exclude_params', '', null],
      ['exclude_ips', '203.0.113.9/24\r\n2001:DB8::0:1', '203.0.113.0/24\n2001:db8::1'],
      ['exclude_ips', '', null],
      ['favorite', 'true', true],
      ['favorite', '1', true],
      ['favorite', 'false', false],
      ['favorite', '0', false],
      ['time_zone', 'europe/berlin', 'Europe/Berlin'],
    ])('accepts %s %j', async (field, sentValue, storedValue) => {
      const response = await create({ [field]: sentValue })
      expect(response.status).toBe(201)
      expect(response.body.data[field]).toEqual(storedValue)
      expect(response.body.data.has_password).toBe(field === 'password')
    })

    it('accepts privacy 2 with a password, which is hashed and never returned', async () => {
      const response = await create({ privacy: '2', password: 'open sesame' })
      expect(response.body.data).toMatchObject({ privacy: 2, has_password: true })
      expect(response.text).not.toContain('sesame')
      const { id } = response.body.data
      expect(await readPasswordHash(id)).toMatch(/^\$argon2id\$/)
      expect((await keyClient.get(`${websitesPath}/${id}`)).text).not.toMatch(/sesame|argon2/)
      expect((await keyClient.get(websitesPath)).text).not.toMatch(/sesame|argon2/)
    })

    it.each([
      ['privacy', '3', '`privacy` must be 0, 1 or 2.'],
      ['privacy', '-1', '`privacy` must be 0, 1 or 2.'],
      ['privacy', '', '`privacy` must be a whole number.'],
      ['privacy', 'public', '`privacy` must be a whole number.'],
      ['password', '', '`password` must not be empty.'],
      ['password', 'p'.repeat(201), '`password` must have at most 200 characters.'],
      ['email', '2', '`email` must be 0 or 1.'],
      ['email', 'true', '`email` must be a whole number.'],
      ['exclude_bots', '2', '`exclude_bots` must be 0 or 1.'],
      ['favorite', 'yes', '`favorite` must be true or false.'],
      ['time_zone', 'Mars/Olympus', '`time_zone` must be a time zone such as Europe/Berlin.'],
      ['time_zone', '+01:00', '`time_zone` must be a time zone such as Europe/Berlin.'],
      [
        'exclude_params',
        Array.from({ length: 101 }, (_, n) => n).join('\n'),
        '`exclude_params` must have at most 100 lines.',
      ],
      ['exclude_params', 'a\n\nb c', /^`exclude_params` line 3 is not /],
      [
        'exclude_ips',
        Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`).join('\n'),
        '`exclude_ips` must have at most 100 lines.',
      ],
      ['exclude_ips', '192.0.2.1\r\n192.0.2.256', /^`exclude_ips` line 2 is not /],
      ['id', '7', '`id` is not a known field.'],
      ['user_id', '7', '`user_id` is not a known field.'],
      ['has_password', '1', '`has_password` is not a known field.'],
      ['unicode', 'x', '`unicode` is not a known field.'],
    ])('rejects %s %j', async (field, sentValue, message) => {
      const countBefore = await countWebsites()
      const response = await create({ [field]: sentValue })
      expect(response.status).toBe(422)
      expect(response.body.code).toBe('validation_failed')
      expect(response.body.errors[field][0]).toMatch(message)
      expect(await countWebsites()).toBe(countBefore)
    })

    it.each(['0', '1'])(
      'stores a password that is sent with privacy %s, although nothing uses it yet',
      async (privacy) => {
        const response = await create({ privacy, password: 'for later' })
        expect(response.body.data).toMatchObject({ privacy: Number(privacy), has_password: true })
      },
    )

    it('rejects privacy 2 without a password', async () => {
      const response = await create({ privacy: '2' })
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual({ password: ['`password` is required when `privacy` is 2.'] })
    })
  })

  it('accepts numbers, booleans and null in JSON', async () => {
    const response = await keyClient.post(websitesPath, {
      domain: createDomain(),
      privacy: 1,
      email: 1,
      exclude_bots: 0,
      favorite: true,
      exclude_params: null,
      exclude_ips: null,
    })
    expect(response.body.data).toMatchObject({
      privacy: 1,
      email: 1,
      exclude_bots: 0,
      favorite: true,
      exclude_ips: null,
    })
  })

  it.each([
    [{ domain: 7 }, 'domain'],
    [{ domain: null }, 'domain'],
    [{ domain: ['a.example', 'b.example'] }, 'domain'],
    [{ privacy: 1.5 }, 'privacy'],
    [{ privacy: true }, 'privacy'],
    [{ privacy: null }, 'privacy'],
    [{ password: null }, 'password'],
    [{ exclude_params: ['a', 'b'] }, 'exclude_params'],
    [{ exclude_ips: { a: 1 } }, 'exclude_ips'],
    [{ favorite: 2 }, 'favorite'],
  ])('rejects %j', async (fields, field) => {
    const response = await keyClient.post(websitesPath, { domain: createDomain(), ...fields })
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual([field])
    if (field.startsWith('exclude')) {
      expect(response.body.errors[field]).toEqual([`\`${field}\` must be a string or null.`])
    }
  })

  it('rejects a field that is sent twice', async () => {
    const response = await keyClient.call('POST', websitesPath, { form: { domain: [createDomain(), createDomain()] } })
    expect(response.status).toBe(422)
    expect(response.body.errors.domain).toEqual(['`domain` must be a string.'])
  })

  it('reports all errors in one response', async () => {
    const response = await keyClient.post(websitesPath, {
      domain: 'co.uk',
      privacy: 2,
      exclude_params: 'a b',
      exclude_ips: 'x',
      time_zone: 'x',
    })
    expect(Object.keys(response.body.errors).sort()).toEqual([
      'domain',
      'exclude_ips',
      'exclude_params',
      'password',
      'time_zone',
    ])
  })
})

describe('an Idempotency-Key', () => {
  it('makes it safe to retry a creation, with the fields in any order', async () => {
    const headers = { 'idempotency-key': 'import-1' }
    const firstResponse = await keyClient.call('POST', websitesPath, {
      form: { domain: 'once.example.com', privacy: '2', password: 'x' },
      headers,
    })
    const secondResponse = await keyClient.call('POST', websitesPath, {
      form: { privacy: '2', password: 'x', domain: 'once.example.com' },
      headers,
    })
    expect([firstResponse.status, secondResponse.status]).toEqual([201, 201])
    expect(firstResponse.headers.get('idempotent-replayed')).toBe(null)
    expect(secondResponse.headers.get('idempotent-replayed')).toBe('true')
    expect(secondResponse.headers.get('location')).toBe(firstResponse.headers.get('location'))
    expect(secondResponse.text).toBe(firstResponse.text)
    const otherResponse = await keyClient.post(websitesPath, { domain: 'other.example.com' }, { headers })
    expect(otherResponse.status).toBe(422)
    expect(otherResponse.body.errors['Idempotency-Key']).toEqual([
      'This `Idempotency-Key` was used for a different request.',
    ])
    expect((await keyClient.get(`${websitesPath}?search=once.example.com`)).body.meta.total).toBe(1)
  })

  it('can be reused after a rejected request', async () => {
    const headers = { 'idempotency-key': 'import-2' }
    const takenDomain = createDomain()
    await keyClient.post(websitesPath, { domain: takenDomain })
    expect((await keyClient.post(websitesPath, { domain: takenDomain }, { headers })).status).toBe(422)
    expect((await keyClient.post(websitesPath, { domain: createDomain() }, { headers })).status).toBe(201)
  })
})

describe('BELFRY_TIME_ZONE', () => {
  it('is the default time zone of websites', async () => {
    const berlinServer = await startTestServer({ env: { BELFRY_TIME_ZONE: 'Europe/Berlin' } })
    try {
      const ada = await berlinServer.createUser('ada')
      const defaultZoneResponse = await ada.session.post(websitesPath, { domain: 'a.example.com' })
      const namedZoneResponse = await ada.session.post(websitesPath, {
        domain: 'b.example.com',
        time_zone: 'Asia/Kolkata',
      })
      expect([defaultZoneResponse, namedZoneResponse].map(({ body }) => body.data.time_zone)).toEqual([
        'Europe/Berlin',
        'Asia/Kolkata',
      ])
    } finally {
      await berlinServer.close()
    }
  })
})
