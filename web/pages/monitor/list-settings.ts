/** The settings of a monitor in words. Leaves out most settings that have their default value. */
import type { JsonAssertion } from '../../../src/monitors/http-schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { formatDurationSeconds, formatMs, formatNumber } from '../../lib/format.ts'
import { isProbed, monitorTypeInfo } from '../../lib/monitor-types.ts'
import { describeBeatSchedule } from './describe-beat-schedule.ts'

type Setting = [name: string, value: string]

export function listSettings(monitor: MonitorRecord): Setting[] {
  const { type, interval, timeout, retries, retry_interval, remind_every, http } = monitor
  const checkSettings: Setting[] = [
    ['Interval', formatDurationSeconds(interval)],
    ['Timeout', formatDurationSeconds(timeout)],
    ['Retries', describeRetries(retries, formatDurationSeconds(retry_interval))],
  ]
  return [
    ['Type', monitorTypeInfo[type].label],
    ...(http ? [['Request', http.method] satisfies Setting] : []),
    ...(isProbed(type) ? checkSettings : []),
    ...listTypeSettings(monitor),
    [
      'Reminders',
      remind_every === 0
        ? 'Off'
        : `Every ${formatDurationSeconds(60 * remind_every)} ${type === 'traffic' ? 'without visits' : 'while down'}`,
    ],
  ]
}

function describeRetries(count: number, interval: string): string {
  if (count === 0) return 'None'
  return count === 1 ? `1 retry, after ${interval}` : `${formatNumber(count)} retries, ${interval} apart`
}

/** `false` stands for a setting that is not listed. */
const listExisting = (...settings: (Setting | false)[]) => settings.filter((setting) => setting !== false)

function listTypeSettings({ http, tcp, dns, tls, domain, heartbeat }: MonitorRecord): Setting[] {
  if (http) return listHttpSettings(http)
  if (tcp) {
    return listExisting(
      tcp.send !== null && ['Text to send', JSON.stringify(tcp.send)],
      tcp.expect !== null && ['Expected text', JSON.stringify(tcp.expect)],
    )
  }
  if (dns) {
    return listExisting(
      ['Records', dns.record],
      ['Expected', dns.expected === null ? 'Any record' : `${matchTexts[dns.match]} ${dns.expected.join(', ')}`],
      dns.resolver !== null && ['DNS server', dns.resolver],
    )
  }
  if (tls) {
    return listExisting(
      ['Warnings', describeWarnDays(tls.warn_days)],
      tls.server_name !== null && ['Server name', tls.server_name],
    )
  }
  if (domain) return [['Warnings', describeWarnDays(domain.warn_days)]]
  if (heartbeat) {
    return [
      ['Expected', describeBeatSchedule(heartbeat)],
      ['Grace time', formatDurationSeconds(heartbeat.grace)],
    ]
  }
  return []
}

const matchTexts = { any: 'At least one of', all: 'All of', exact: 'Exactly' } as const

const describeWarnDays = (days: readonly number[]) =>
  days.length === 0 ? 'Off' : `${days.map(formatNumber).join(', ')} days before expiry`

function listHttpSettings(http: NonNullable<MonitorRecord['http']>): Setting[] {
  const headers = Object.keys(http.headers)
  return listExisting(
    ['Expected status codes', http.expected_status],
    http.keyword !== null && ['Must contain', http.keyword],
    http.keyword_absent !== null && ['Must not contain', http.keyword_absent],
    http.json.length > 0 && ['JSON', http.json.map(describeAssertion).join('; ')],
    http.max_response_ms !== null && ['Maximum response time', formatMs(http.max_response_ms)],
    headers.length > 0 && ['Headers', headers.join(', ')],
    !http.follow_redirects && ['Redirects', 'Not followed'],
    !http.verify_tls && ['Certificate', 'Not verified'],
  )
}

const operatorTexts: Record<Exclude<JsonAssertion['op'], 'exists'>, string> = {
  equals: '=',
  not_equals: '≠',
  contains: 'contains',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
}

function describeAssertion({ path, op, value }: JsonAssertion): string {
  if (op === 'exists') return `${path} ${value === false ? 'does not exist' : 'exists'}`
  return `${path} ${operatorTexts[op]} ${JSON.stringify(value)}`
}
