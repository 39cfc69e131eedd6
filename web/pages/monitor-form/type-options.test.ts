/** Tests the conversion of each type's settings from a monitor to the form, and from the form to the API. */
import { describe, expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import type { MonitorType } from '../../../src/shared/monitors.ts'
import { diffMonitor, toMonitorInput } from './input.ts'
import { type JsonRow, toJsonAssertions, toJsonRows } from './json-rows.ts'
import { convertTarget, switchType } from './switch-type.ts'
import { createMonitorFormValues, type MonitorFormValues, toMonitorFormValues } from './values.ts'

const toInput = (type: MonitorType, changes: Partial<MonitorFormValues> = {}) =>
  toMonitorInput({ ...createMonitorFormValues('example.com', type), ...changes })

const createSavedValues = (type: MonitorType, fields: Partial<MonitorRecord>) =>
  toMonitorFormValues({
    friendly_name: 'Saved',
    url: 'example.com',
    type,
    interval: 60,
    timeout: 10,
    is_active: true,
    retries: 2,
    retry_interval: 5,
    remind_every: 0,
    depends_on: null,
    http: null,
    tcp: null,
    dns: null,
    tls: null,
    domain: null,
    heartbeat: null,
    ...fields,
  } as MonitorRecord)

describe('the settings of a type', () => {
  it('have the defaults of the API', () => {
    expect(toInput('tcp').tcp).toEqual({ send: null, expect: null })
    expect(toInput('dns').dns).toEqual({ record: 'A', resolver: null, expected: null, match: 'any' })
    expect(toInput('tls')).toMatchObject({ interval: 3_600, tls: { warn_days: [30, 14, 7, 1], server_name: null } })
    expect(toInput('domain')).toMatchObject({ interval: 86_400, domain: { warn_days: [30, 14, 7, 1] } })
  })

  it('keep control characters, lines and lists when converted to the form and back', () => {
    expect(toInput('tcp', { send: 'PING\\r\\n', expect: 'C:\\\\dir' }).tcp).toEqual({
      send: 'PING\r\n',
      expect: 'C:\\dir',
    })
    expect(toInput('dns', { expected: ' 203.0.113.7\n\n203.0.113.8 ' }).dns?.expected).toEqual([
      '203.0.113.7',
      '203.0.113.8',
    ])
    expect(toInput('domain', { warn_days: '60; soon 7' }).domain?.warn_days).toEqual([60, 'soon', 7])
  })

  it('of a heartbeat are a schedule, without a URL, interval or retries', () => {
    const input = toInput('heartbeat', { friendly_name: 'Backup', period: '86400' })
    expect(input).toEqual({
      friendly_name: 'Backup',
      type: 'heartbeat',
      is_active: true,
      tags: [],
      remind_every: 0,
      depends_on: null,
      heartbeat: { period: 86_400, cron: null, time_zone: null, grace: 300 },
    })
    expect(
      toInput('heartbeat', { schedule: 'cron', cron: '30 2 * * *', time_zone: 'Europe/Berlin' }).heartbeat,
    ).toMatchObject({ period: null, cron: '30 2 * * *', time_zone: 'Europe/Berlin' })
    expect(toInput('heartbeat').friendly_name).toBe('')
  })

  it('are sent only if they were changed', () => {
    const options: [MonitorType, Partial<MonitorRecord>][] = [
      ['tcp', { tcp: { send: 'a\r\n\\', expect: null } }],
      ['dns', { dns: { record: 'MX', resolver: '9.9.9.9', expected: ['10 mail.example.com'], match: 'exact' } }],
      ['tls', { tls: { warn_days: [10], server_name: 'shop.example.com' } }],
      ['domain', { domain: { warn_days: [90, 1] } }],
      ['heartbeat', { heartbeat: { period: null, cron: '@daily', time_zone: null, grace: 60 } }],
      ['heartbeat', { heartbeat: { period: 77, cron: null, time_zone: null, grace: 0 } }],
    ]
    for (const [type, fields] of options) {
      const values = createSavedValues(type, fields)
      const savedInput = toMonitorInput(values)
      expect(savedInput[type as 'tcp']).toEqual(fields[type as 'tcp'])
      expect(diffMonitor(savedInput, toMonitorInput({ ...values, depends_on: '7' }))).toEqual({ depends_on: 7 })
    }
    const values = createSavedValues('dns', { dns: { record: 'A', resolver: null, expected: null, match: 'any' } })
    expect(diffMonitor(toMonitorInput(values), toMonitorInput({ ...values, record: 'TXT' }))).toEqual({
      dns: { record: 'TXT' },
    })
  })
})

describe('a change of the type', () => {
  it('sends an interval that is not the default of the new type', () => {
    const values = createSavedValues('ping', { interval: 300 })
    const diffAfter = (changes: Partial<MonitorFormValues>) =>
      diffMonitor(toMonitorInput(values), toMonitorInput({ ...values, ...changes }))
    expect(diffAfter({ type: 'tls' })).toMatchObject({ type: 'tls', interval: 300 })
    expect(diffAfter({ type: 'tls', interval: '3600' })).toMatchObject({ interval: 3_600 })
    expect(diffAfter({ type: 'heartbeat' })).not.toHaveProperty('interval')
  })

  it('converts the target, and keeps the target that was typed for the previous type', () => {
    const http = { ...createMonitorFormValues('https://www.example.com:8443/shop?q=1') }
    const tls = switchType(http, 'tls')
    expect(tls).toMatchObject({ type: 'tls', url: 'www.example.com:8443', interval: '3600' })
    expect(switchType(switchType(tls, 'domain'), 'http')).toMatchObject({ url: http.url, interval: '60' })
    expect(switchType({ ...http, interval: '300' }, 'domain').interval).toBe('86400')
    expect(switchType({ ...http, interval: '300' }, 'ping').interval).toBe('300')
  })

  it('writes the target as each type expects it', () => {
    expect(convertTarget('https://www.example.com/', 'domain')).toBe('example.com')
    expect(convertTarget('https://example.com/', 'tcp')).toBe('example.com:443')
    expect(convertTarget('tcp://example.com:5432', 'http')).toBe('https://example.com:5432')
    expect(convertTarget('http://[2001:db8::7]:80/', 'ping')).toBe('[2001:db8::7]')
    expect(convertTarget('', 'dns')).toBe('')
  })
})

describe('JSON assertions', () => {
  const row = (change: Partial<JsonRow>): JsonRow => ({ key: 0, path: '$.a', op: 'equals', value: '', ...change })

  it('compare numbers, true, false and null as JSON values, and quoted values as text', () => {
    const values = ['5', '"5"', 'true', 'null', 'ok', '{"a":1}', '-1.5']
    expect(toJsonAssertions(values.map((value) => row({ value }))).map(({ value }) => value)).toEqual([
      5,
      '5',
      true,
      null,
      'ok',
      '{"a":1}',
      -1.5,
    ])
  })

  it('say that a value exists or does not exist', () => {
    expect(toJsonAssertions([row({ op: 'exists', value: 'x' }), row({ op: 'missing' })])).toEqual([
      { path: '$.a', op: 'exists' },
      { path: '$.a', op: 'exists', value: false },
    ])
  })

  it('are unchanged after conversion to form rows and back', () => {
    const assertions = [
      { path: '$.a', op: 'equals' as const, value: '5' },
      { path: '$.b', op: 'gte' as const, value: 5 },
      { path: '$.c', op: 'contains' as const, value: 'say "hi"' },
      { path: '$.d', op: 'exists' as const, value: false },
      { path: '$.e', op: 'exists' as const },
    ]
    expect(toJsonAssertions(toJsonRows(assertions))).toEqual(assertions)
  })
})
