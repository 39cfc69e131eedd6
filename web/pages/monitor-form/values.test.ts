import { describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { changesOf, findRepeatedHeader, inputOf, newValues, valuesOf } from './values.ts'

const at = '2026-01-05T10:00:00.000Z'

const monitor: MonitorRecord = {
  id: 3,
  friendly_name: 'Shop',
  url: 'https://example.com/',
  type: 'http',
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
  },
  tls_expires_at: null,
  last_checked_at: null,
  last_response_ms: null,
  last_error: null,
  status_changed_at: at,
  created_at: at,
  updated_at: at,
}

const before = valuesOf(monitor)
const changes = (over: Partial<typeof before>) => changesOf(inputOf(before), inputOf({ ...before, ...over }))

describe('a new monitor', () => {
  it('is named after its host until somebody names it', () => {
    expect(inputOf(newValues('www.example.com/shop'))).toMatchObject({
      friendly_name: 'example.com',
      url: 'https://www.example.com/shop',
      timeout: null,
    })
    expect(inputOf({ ...newValues('example.com'), friendly_name: '' }).friendly_name).toBe('')
  })

  it('sends numbers as numbers, and anything else as it was typed', () => {
    const values = { ...newValues('example.com'), interval: ' 30 ', retries: 'many', timeout: '2.5' }
    expect(inputOf(values)).toMatchObject({ interval: 30, retries: 'many', timeout: '2.5' })
  })

  it('of type ping has no options of http', () => {
    const input = inputOf({ ...newValues(' example.com '), type: 'ping' })
    expect(input).toMatchObject({ url: 'example.com', type: 'ping' })
    expect(input).not.toHaveProperty('http')
  })
})

describe('a change', () => {
  it('is nothing where nothing was changed, and keeps secret headers', () => {
    expect(changes({})).toEqual({})
    expect(inputOf(before).http?.headers).toEqual({ Authorization: 'cdef', 'X-Pin': '' })
  })

  it('is only what is different, also within http', () => {
    expect(changes({ friendly_name: 'Big shop', look: 'absent', keyword: 'Fatal' })).toEqual({
      friendly_name: 'Big shop',
      http: { keyword: null, keyword_absent: 'Fatal' },
    })
  })

  it('of one header sends the others by their ends', () => {
    const [first, second] = before.headers
    const headers = [{ ...first, value: 'Bearer new' } as never, second as never]
    expect(changes({ headers })).toEqual({ http: { headers: { Authorization: 'Bearer new', 'X-Pin': '' } } })
  })

  it('of the interval lets the usual timeout follow', () => {
    expect(changes({ interval: '5' })).toEqual({ interval: 5, timeout: null })
    expect(changes({ interval: '5', timeout: '3' })).toEqual({ interval: 5, timeout: 3 })
  })

  it('from ping to http brings all of http', () => {
    const ping = inputOf(valuesOf({ ...monitor, type: 'ping', url: 'example.com', http: null }))
    const http = inputOf({ ...newValues('https://example.com/'), friendly_name: 'Shop' })
    expect(changesOf(ping, http)).toMatchObject({ type: 'http', http: { method: 'GET', headers: {} } })
    expect(changesOf(http, ping)).toEqual({ type: 'ping', url: 'example.com' })
  })
})

it('finds a header that is there twice', () => {
  const headers = ['Accept', 'X-A', ' accept '].map((name, key) => ({ key, name, value: '1' }))
  expect(findRepeatedHeader({ ...before, headers })).toBe('accept')
  expect(findRepeatedHeader(before)).toBeUndefined()
})
