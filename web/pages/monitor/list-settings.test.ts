import { expect, it } from 'vitest'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { listSettings } from './list-settings.ts'

const noOptions = { http: null, tcp: null, dns: null, tls: null, domain: null, heartbeat: null }
const common = { interval: 60, timeout: 10, retries: 2, retry_interval: 5, remind_every: 0, ...noOptions }
const list = (monitor: Partial<MonitorRecord>) =>
  Object.fromEntries(listSettings({ ...common, ...monitor } as MonitorRecord))

it('the list of settings describes the options of each type', () => {
  expect(list({ type: 'tcp', tcp: { send: 'PING\r\n', expect: null } })).toMatchObject({
    Type: 'TCP port',
    'Text to send': '"PING\\r\\n"',
  })
  expect(
    list({ type: 'dns', dns: { record: 'A', resolver: '9.9.9.9', expected: ['203.0.113.7'], match: 'exact' } }),
  ).toMatchObject({ Records: 'A', Expected: 'Exactly 203.0.113.7', 'DNS server': '9.9.9.9' })
  expect(list({ type: 'tls', tls: { warn_days: [30, 7], server_name: 'shop.example.com' } })).toMatchObject({
    Warnings: '30, 7 days before expiry',
    'Server name': 'shop.example.com',
  })
  expect(list({ type: 'domain', domain: { warn_days: [] } })).toMatchObject({ Warnings: 'Off' })
})

it('the list of settings shows the schedule of a heartbeat, which has no interval, timeout or retries', () => {
  const heartbeat = { period: null, cron: '30 2 * * *', time_zone: 'America/New_York', grace: 300 }
  const settings = list({ type: 'heartbeat', heartbeat })
  expect(settings).toMatchObject({ Expected: '30 2 * * * (America/New York)' })
  expect(Object.keys(settings)).toEqual(['Type', 'Expected', 'Grace time', 'Reminders'])
  expect(list({ type: 'heartbeat', heartbeat: { ...heartbeat, cron: null, period: 3_600 } })).toMatchObject({
    Expected: 'Every hour',
  })
})

it('the list of settings describes JSON assertions and the maximum response time', () => {
  const http = {
    method: 'GET',
    headers: {},
    json: [
      { path: '$.status', op: 'equals', value: 'ok' },
      { path: '$.error', op: 'exists', value: false },
    ],
    keyword: null,
    keyword_absent: null,
    max_response_ms: 2_000,
  } as unknown as NonNullable<MonitorRecord['http']>
  expect(list({ type: 'http', http })).toMatchObject({
    JSON: '$.status = "ok"; $.error does not exist',
    'Maximum response time': '2,000 ms',
  })
})

it('the list of settings shows only the reminders of a traffic monitor, which has no schedule', () => {
  expect(list({ type: 'traffic', remind_every: 60 })).toEqual({
    Type: 'Traffic',
    Reminders: 'Every 1 h without visits',
  })
})
