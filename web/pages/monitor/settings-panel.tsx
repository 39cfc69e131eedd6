/** A summary of the monitor's settings. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Panel } from '../../components/page.tsx'
import { formatDurationSeconds, formatNumber } from '../../lib/format.ts'

type Setting = [name: string, value: string]

function listSettings(monitor: MonitorRecord): Setting[] {
  const { type, interval, timeout, retries, retry_interval, remind_every, http } = monitor
  const settings: Setting[] = [
    ['Request', type === 'ping' ? 'Ping' : (http?.method ?? 'GET')],
    ['Interval', formatDurationSeconds(interval)],
    ['Timeout', formatDurationSeconds(timeout)],
    ['Retries', describeRetries(retries, formatDurationSeconds(retry_interval))],
    ['Reminders', remind_every === 0 ? 'Off' : `Every ${formatDurationSeconds(60 * remind_every)} while down`],
  ]
  if (http === null) return settings
  const headers = Object.keys(http.headers)
  settings.push(['Expected status codes', http.expected_status])
  if (http.keyword !== null) settings.push(['Must contain', http.keyword])
  if (http.keyword_absent !== null) settings.push(['Must not contain', http.keyword_absent])
  if (headers.length > 0) settings.push(['Headers', headers.join(', ')])
  if (!http.follow_redirects) settings.push(['Redirects', 'Not followed'])
  if (!http.verify_tls) settings.push(['Certificate', 'Not verified'])
  return settings
}

function describeRetries(count: number, interval: string): string {
  if (count === 0) return 'None'
  return count === 1 ? `1 retry, after ${interval}` : `${formatNumber(count)} retries, ${interval} apart`
}

export function CheckSettingsPanel({ monitor }: { monitor: MonitorRecord }) {
  return (
    <Panel title="Settings">
      <dl class="monitor-settings">
        {listSettings(monitor).map(([name, value]) => (
          <div key={name}>
            <dt class="muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
