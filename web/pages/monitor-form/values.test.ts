import { describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { diffMonitor, mustReenterHeaders, toMonitorInput } from './input.ts'
import { createMonitorFormValues, toMonitorFormValues } from './values.ts'

const at = '2026-01-05T10:00:00.000Z'

const monitor: MonitorRecord = {
  id: 3,
  friendly_name: 'Shop',
  url: 'https://example.com/',
  type: 'http',
  watched_website_id: null,
  interval: 60,
  is_active: true,
  status: 'up',
  timeout: 10,
  retries: 2,
  retry_interval: 5,
  remind_every: 0,
  http: {
    method: 'GET',
    headers: { Authorization: 'cdef', 'X-Pin': '' },
    body: null,
    expected_status: '200-399',
    keyword: 'Welcome',
    keyword_absent: null,
    follow_redirects: true,
    verify_tls: true,
    json: [],
    max_response_ms: null,
  },
  tags: [],
  depends_on: null,
  in_maintenance: false,
  tcp: null,
  dns: null,
  tls: null,
  domain: null,
  heartbeat: null,
  tls_expires_at: null,
  domain_expires_at: null,
  last_checked_at: null,
  last_response_ms: null,
  last_error: null,
  status_changed_at: at,
  down_since: null,
  is_sample: false,
  created_at: at,
  updated_at: at,
}

const savedValues = toMonitorFormValues(monitor)
const diff = (changes: Partial<typeof savedValues>) =>
  diffMonitor(toMonitorInput(savedValues), toMonitorInput({ ...savedValues, ...changes }))

describe('a new monitor', () => {
  it('is named after its host until the user types a name', () => {
    expect(toMonitorInput(createMonitorFormValues('www.example.com/shop'))).toMatchObject({
      friendly_name: 'example.com',
      url: 'https://www.example.com/shop',
      timeout: null,
    })
    expect(toMonitorInput({ ...createMonitorFormValues('example.com'), friendly_name: '' }).friendly_name).toBe('')
  })

  it('sends whole numbers as numbers and other text unchanged', () => {
    const values = { ...createMonitorFormValues('example.com'), interval: ' 30 ', retries: 'many', timeout: '2.5' }
    expect(toMonitorInput(values)).toMatchObject({ interval: 30, retries: 'many', timeout: '2.5' })
  })

  it('of type ping has no HTTP settings', () => {
    const input = toMonitorInput({ ...createMonitorFormValues(' example.com '), type: 'ping' })
    expect(input).toMatchObject({ url: 'example.com', type: 'ping' })
    expect(input).not.toHaveProperty('http')
  })
})

describe('the form of a saved monitor', () => {
  it('sends nothing if nothing changed, and keeps secret headers', () => {
    expect(diff({})).toEqual({})
    expect(toMonitorInput(savedValues).http?.headers).toEqual({ Authorization: 'cdef', 'X-Pin': '' })
  })

  it('sends only the changed fields, also within the HTTP settings', () => {
    expect(diff({ friendly_name: 'Big shop', textRule: 'absent', keyword: 'Fatal' })).toEqual({
      friendly_name: 'Big shop',
      http: { keyword: null, keyword_absent: 'Fatal' },
    })
  })

  it('sends unchanged secret headers by their last characters when another header changes', () => {
    const [first, second] = savedValues.headers
    const headers = [{ ...first, value: 'Bearer new' } as never, second as never]
    expect(diff({ headers })).toEqual({ http: { headers: { Authorization: 'Bearer new', 'X-Pin': '' } } })
  })

  it('resets a default timeout when the interval changes', () => {
    expect(diff({ interval: '5' })).toEqual({ interval: 5, timeout: null })
    expect(diff({ interval: '5', timeout: '3' })).toEqual({ interval: 5, timeout: 3 })
  })

  it('sends all HTTP settings when the type changes from ping to HTTP', () => {
    const ping = toMonitorInput(toMonitorFormValues({ ...monitor, type: 'ping', url: 'example.com', http: null }))
    const http = toMonitorInput({ ...createMonitorFormValues('https://example.com/'), friendly_name: 'Shop' })
    expect(diffMonitor(ping, http)).toMatchObject({ type: 'http', http: { method: 'GET', headers: {} } })
    expect(diffMonitor(http, ping)).toEqual({ type: 'ping', url: 'example.com' })
  })
})

it('the form asks for saved header values if they would go to another server or to one that is not verified', () => {
  const asksForHeaders = (changes: Partial<typeof savedValues>) =>
    mustReenterHeaders(toMonitorInput(savedValues), toMonitorInput({ ...savedValues, ...changes }))
  expect(asksForHeaders({ url: 'https://example.com/other', method: 'POST' })).toBe(false)
  expect(asksForHeaders({ url: 'https://other.example.com/' })).toBe(true)
  expect(asksForHeaders({ url: 'http://example.com/' })).toBe(true)
  expect(asksForHeaders({ verify_tls: false })).toBe(true)
  // No saved value would be sent: the server rejects the incomplete URL, and a ping has no headers.
  expect(asksForHeaders({ url: 'https://' })).toBe(false)
  expect(asksForHeaders({ type: 'ping', url: 'other.example.com' })).toBe(false)
  expect(mustReenterHeaders(undefined, toMonitorInput(savedValues))).toBe(false)
})

it('the form sends a name even if none can be derived from the URL, unless the user has deleted it', () => {
  expect(toMonitorInput(createMonitorFormValues('https://'))).toMatchObject({ friendly_name: 'Monitor' })
  expect(toMonitorInput(createMonitorFormValues('https://example.com/'))).toMatchObject({
    friendly_name: 'example.com',
  })
  expect(toMonitorInput({ ...createMonitorFormValues('https://'), friendly_name: '' })).toMatchObject({
    friendly_name: '',
  })
})
