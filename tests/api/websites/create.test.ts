import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { path } from '../../support/websites.ts'

let server: TestServer
let key: Client
let count = 0

beforeAll(async () => {
  server = await startTestServer()
  key = await (await server.person('owner')).withKey('websites:read', 'websites:write')
})
afterAll(() => server.close())

const newDomain = () => `site-${count++}.example.com`

async function readHash(id: number): Promise<string | null> {
  return (await server.services.db.query('select password_hash from websites where id = $1', [id]))[0]?.[
    'password_hash'
  ]
}

async function countAll(): Promise<number> {
  return (await key.get(path)).body.meta.total
}

describe('POST /api/v1/websites', () => {
  it('needs a domain only; everything else has a default', async () => {
    const answer = await key.call('POST', path, { form: { domain: 'example.org' } })
    expect(answer.status).toBe(201)
    const { id, ...rest } = answer.body.data
    expect(answer.headers.get('location')).toBe(`${server.address}${path}/${id}`)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(rest).toEqual({
      domain: 'example.org',
      privacy: 0,
      has_password: false,
      email: 0,
      exclude_bots: 1,
      exclude_params: null,
      exclude_ips: null,
      favorite: false,
      time_zone: 'UTC',
      created_at: '2026-01-05T10:00:00.000Z',
      updated_at: '2026-01-05T10:00:00.000Z',
    })
    expect((await key.get(`${path}/${id}`)).body.data).toEqual({ id, ...rest })
  })

  describe.each(['form', 'json'])('as %s', (encoding) => {
    const create = (fields: Record<string, string>) =>
      key.call('POST', path, { [encoding]: { domain: newDomain(), ...fields } })

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
    ])('takes %s %j', async (field, sent, kept) => {
      const answer = await create({ [field]: sent })
      expect(answer.status).toBe(201)
      expect(answer.body.data[field]).toEqual(kept)
      expect(answer.body.data.has_password).toBe(field === 'password')
    })

    it('takes privacy 2 with a password, which it hashes and never shows', async () => {
      const answer = await create({ privacy: '2', password: 'open sesame' })
      expect(answer.body.data).toMatchObject({ privacy: 2, has_password: true })
      expect(answer.text).not.toContain('sesame')
      const { id } = answer.body.data
      expect(await readHash(id)).toMatch(/^\$argon2id\$/)
      expect((await key.get(`${path}/${id}`)).text).not.toMatch(/sesame|argon2/)
      expect((await key.get(path)).text).not.toMatch(/sesame|argon2/)
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
    ])('refuses %s %j', async (field, sent, sentence) => {
      const before = await countAll()
      const answer = await create({ [field]: sent })
      expect(answer.status).toBe(422)
      expect(answer.body.code).toBe('validation_failed')
      expect(answer.body.errors[field][0]).toMatch(sentence)
      expect(await countAll()).toBe(before)
    })

    it.each(['0', '1'])('keeps a password sent with privacy %s, without effect', async (privacy) => {
      const answer = await create({ privacy, password: 'for later' })
      expect(answer.body.data).toMatchObject({ privacy: Number(privacy), has_password: true })
    })

    it('refuses privacy 2 without a password', async () => {
      const answer = await create({ privacy: '2' })
      expect(answer.status).toBe(422)
      expect(answer.body.errors).toEqual({ password: ['`password` is required when `privacy` is 2.'] })
    })
  })

  it('takes real numbers, booleans and null in JSON', async () => {
    const answer = await key.post(path, {
      domain: newDomain(),
      privacy: 1,
      email: 1,
      exclude_bots: 0,
      favorite: true,
      exclude_params: null,
      exclude_ips: null,
    })
    expect(answer.body.data).toMatchObject({ privacy: 1, email: 1, exclude_bots: 0, favorite: true, exclude_ips: null })
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
  ])('refuses %j', async (fields, field) => {
    const answer = await key.post(path, { domain: newDomain(), ...fields })
    expect(answer.status).toBe(422)
    expect(Object.keys(answer.body.errors)).toEqual([field])
    if (field.startsWith('exclude')) {
      expect(answer.body.errors[field]).toEqual([`\`${field}\` must be a string or null.`])
    }
  })

  it('refuses a field that is sent twice', async () => {
    const answer = await key.call('POST', path, { form: { domain: [newDomain(), newDomain()] } })
    expect(answer.status).toBe(422)
    expect(answer.body.errors.domain).toEqual(['`domain` must be a string.'])
  })

  it('names everything that is wrong at once', async () => {
    const answer = await key.post(path, {
      domain: 'co.uk',
      privacy: 2,
      exclude_params: 'a b',
      exclude_ips: 'x',
      time_zone: 'x',
    })
    expect(Object.keys(answer.body.errors).sort()).toEqual([
      'domain',
      'exclude_ips',
      'exclude_params',
      'password',
      'time_zone',
    ])
  })
})

describe('an Idempotency-Key', () => {
  it('makes a creation safe to repeat, in either encoding', async () => {
    const headers = { 'idempotency-key': 'import-1' }
    const first = await key.call('POST', path, {
      form: { domain: 'once.example.com', privacy: '2', password: 'x' },
      headers,
    })
    const second = await key.call('POST', path, {
      form: { privacy: '2', password: 'x', domain: 'once.example.com' },
      headers,
    })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(first.headers.get('idempotent-replayed')).toBe(null)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('location')).toBe(first.headers.get('location'))
    expect(second.text).toBe(first.text)
    const other = await key.post(path, { domain: 'other.example.com' }, { headers })
    expect(other.status).toBe(422)
    expect(other.body.errors['Idempotency-Key']).toEqual(['The Idempotency-Key was used for another request.'])
    expect((await key.get(`${path}?search=once.example.com`)).body.meta.total).toBe(1)
  })

  it('is not used up by a refusal', async () => {
    const headers = { 'idempotency-key': 'import-2' }
    expect((await key.post(path, { domain: 'once.example.com' }, { headers })).status).toBe(422)
    expect((await key.post(path, { domain: 'twice.example.com' }, { headers })).status).toBe(201)
  })
})

describe('BELFRY_TIME_ZONE', () => {
  it('is the time zone of websites that name none', async () => {
    const other = await startTestServer({ env: { BELFRY_TIME_ZONE: 'Europe/Berlin' } })
    try {
      const ada = await other.person('ada')
      const plain = await ada.session.post(path, { domain: 'a.example.com' })
      const named = await ada.session.post(path, { domain: 'b.example.com', time_zone: 'Asia/Kolkata' })
      expect([plain, named].map(({ body }) => body.data.time_zone)).toEqual(['Europe/Berlin', 'Asia/Kolkata'])
    } finally {
      await other.close()
    }
  })
})
