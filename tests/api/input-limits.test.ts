import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientResponse } from '../support/client.ts'
import { startTestServer, type TestServer, type TestUser } from '../support/server.ts'
import { shareTestServer } from '../support/shared-server.ts'

/** The longest response to any invalid body. */
const MAX_RESPONSE_BYTES = 10_000

let server: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await shareTestServer()
  ada = await server.createUser('ada')
})
afterAll(() => server.close())

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1)
const createFields = (count: number) => Object.fromEntries(numbers(count).map((n) => [`field${n}`, n]))

function expectRejected(response: ClientResponse, errors: Record<string, string[]>): void {
  expect(response.status).toBe(422)
  expect(response.body.errors).toEqual(errors)
  expect(response.text.length).toBeLessThan(MAX_RESPONSE_BYTES)
}

describe('a body', () => {
  it('with 110,000 unknown fields is rejected with one error', async () => {
    const fields = Object.fromEntries(numbers(110_000).map((n) => [n.toString(36), 0]))
    const response = await server.anyone.post('/api/session', fields)
    expectRejected(response, { body: ['An object can have at most 100 fields.'] })
  })

  it('with a list of 300,000 entries is rejected with one error', async () => {
    const response = await ada.session.post('/api/keys', { name: 'x', scopes: numbers(300_000).map(() => 0) })
    expectRejected(response, { body: ['A list can have at most 2000 entries.'] })
  })

  it('that is nested half a million levels deep is rejected, also with an Idempotency-Key', async () => {
    const response = await ada.session.call('POST', '/api/monitors', {
      body: `{"url":${'['.repeat(250_000)}${']'.repeat(250_000)}}`,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'deep' },
    })
    expectRejected(response, { body: ['Objects and lists can be nested at most 10 levels deep.'] })
  })

  it('can be a form with at most 2,100 values and 100 different fields', async () => {
    const tooManyValues = await server.anyone.call('POST', '/api/session', { form: 'a&'.repeat(400_000) })
    expectRejected(tooManyValues, { body: ['The body can have at most 2100 values.'] })
    const form = new URLSearchParams(numbers(101).map((n) => [`field${n}`, ''])).toString()
    const tooManyFields = await server.anyone.call('POST', '/api/session', { form })
    expectRejected(tooManyFields, { body: ['The body can have at most 100 different fields.'] })
  })

  it('is not read at an unknown path', async () => {
    const response = await server.anyone.call('POST', '/api/nothing', {
      body: '{"not": "JSON',
      headers: { 'content-type': 'application/json' },
    })
    expect(response.status).toBe(404)
  })

  it.each([
    ['JSON', { json: { ids: numbers(1_000), action: 'pause' } }],
    ['form', { form: { ids: numbers(1_000).map(String), action: 'pause' } }],
  ])('with 1,000 ids is accepted (%s)', async (_type, options) => {
    const response = await ada.session.call('POST', '/api/monitors/bulk', options)
    expect(response.body.errors?.['body']).toBe(undefined)
    expect(response.text).not.toContain('at most')
  })

  it('with 1,001 ids is rejected with an error of the field', async () => {
    const response = await ada.session.post('/api/monitors/bulk', { ids: numbers(1_001), action: 'pause' })
    expectRejected(response, { ids: ['`ids` must have at most 1000 entries.'] })
  })

  it('with 50 headers for a monitor is accepted', async () => {
    const headers = Object.fromEntries(numbers(50).map((n) => [`X-Header-${n}`, 'x'.repeat(200)]))
    const monitor = { friendly_name: 'x', url: 'https://example.com', http: { headers } }
    expect((await ada.session.post('/api/monitors', monitor)).status).toBe(201)
  })

  it('with exclusions of 100 lines is accepted', async () => {
    const website = {
      domain: 'limits.example.com',
      exclude_params: numbers(100)
        .map((n) => `parameter_${n}`)
        .join('\n'),
      exclude_ips: numbers(100)
        .map((n) => `203.0.113.${n}`)
        .join('\n'),
    }
    expect((await ada.session.post('/api/v1/websites', website)).status).toBe(201)
  })
})

describe('a query', () => {
  it('can repeat a parameter 900 times', async () => {
    const channel = { provider_type: 'slack', webhook_url: 'https://hooks.slack.com/services/T/B/x' }
    const { body } = await ada.session.post('/api/providers', channel)
    const query = numbers(900).map((n) => `monitor_ids=${n % 10}`)
    const response = await ada.session.delete(`/api/providers/${body.data.id}/monitors?${query.join('&')}`)
    expect(response.text).not.toContain('at most')
  })

  it('with thousands of parameters is rejected with one error', async () => {
    const response = await ada.session.get(`/api/monitors?${'a&'.repeat(6_000)}`)
    expectRejected(response, { query: ['The query can have at most 2100 values.'] })
    const names = numbers(101).map((n) => `field${n}=1`)
    const manyNames = await ada.session.get(`/api/monitors?${names.join('&')}`)
    expectRejected(manyNames, { query: ['The query can have at most 100 different fields.'] })
  })

  it('with a long list of filters is rejected with one error', async () => {
    const { body } = await ada.session.post('/api/v1/websites', { domain: 'filters.example.com' })
    const filters = Array(900).fill('filter=page:/a').join('&')
    const response = await ada.session.get(`/api/v1/stats/${body.data.id}?name=page&${filters}`)
    expect(response.status).toBe(422)
    expect(Object.keys(response.body.errors)).toEqual(['filter'])
    expect(response.text.length).toBeLessThan(MAX_RESPONSE_BYTES)
  })
})

describe('a response to invalid fields', () => {
  it('lists at most 20 errors, and says that there are more', async () => {
    const response = await server.anyone.post('/api/session', createFields(90))
    expect(response.status).toBe(422)
    expect(Object.values(response.body.errors).flat().length).toBe(20)
    expect(response.body.detail).toMatch(/^`\w+` is .*\. Only the first 20 errors are listed\.$/)
    expect(response.text.length).toBeLessThan(MAX_RESPONSE_BYTES)
    const listResponse = await ada.session.post('/api/keys', { name: 'x', scopes: numbers(1_500) })
    expect(Object.values(listResponse.body.errors).flat().length).toBe(20)
    expect(listResponse.text.length).toBeLessThan(MAX_RESPONSE_BYTES)
  })

  it('lists exactly 20 errors without saying that there are more', async () => {
    const response = await ada.session.call('DELETE', '/api/session', { json: createFields(20) })
    expect(Object.keys(response.body.errors).length).toBe(20)
    expect(response.body.detail).toBe('`field1` is not a known field.')
  })

  it('shortens long field names', async () => {
    const name = 'n'.repeat(500_000)
    const shortName = `${'n'.repeat(100)}…`
    const response = await ada.session.call('DELETE', '/api/session', { json: { [name]: 1 } })
    expectRejected(response, { [shortName]: [`\`${shortName}\` is not a known field.`] })
    const signIn = await server.anyone.post('/api/session', { email: 'ada@example.com', password: 'x', [name]: 1 })
    expectRejected(signIn, { [shortName]: [`\`${shortName}\` is not a known field.`] })
    const nullCharacter = await server.anyone.post('/api/session', { [name]: '\0' })
    expectRejected(nullCharacter, { [shortName]: [`\`${shortName}\` must not contain a null character.`] })
  })

  it('shortens long messages', async () => {
    const channel = { provider_type: 'slack', webhook_url: 'https://hooks.slack.com/services/T/B/y' }
    const { body } = await ada.session.post('/api/providers', channel)
    const ids = numbers(1_000).map((n) => 1_000_000_000 + n)
    const response = await ada.session.post(`/api/providers/${body.data.id}/monitors`, { monitor_ids: ids })
    expect(response.status).toBe(422)
    expect(response.body.detail).toMatch(/^`monitor_ids` names monitors that aren't yours: 1000000001, .*…$/)
    expect(response.text.length).toBeLessThan(MAX_RESPONSE_BYTES)
  })
})

describe('the rate limit', () => {
  it('counts requests whose body is rejected, and then rejects them without reading the body', async () => {
    const limitedServer = await startTestServer({ env: { BELFRY_RATE_LIMIT: '2' } })
    try {
      for (const path of ['/api/session', '/api/setup', '/api/v1/stats/1/unlock', '/setup', '/api/nothing']) {
        limitedServer.clock.advance({ minutes: 1 })
        const send = () => limitedServer.anyone.post(path, createFields(1_000))
        await send()
        await send()
        expect((await send()).status).toBe(429)
      }
    } finally {
      await limitedServer.close()
    }
  })
})
