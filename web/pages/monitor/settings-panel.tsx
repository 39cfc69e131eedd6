/** How it is checked, in short. */
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Panel } from '../../components/page.tsx'
import { formatDuration } from '../../lib/format.ts'

function settingsOf(monitor: MonitorRecord): [string, string][] {
  const { type, interval, timeout, retries, retry_interval, remind_every, http } = monitor
  const more = retries === 1 ? 'one more' : `${retries} more`
  const settings: [string, string][] = [
    ['Checked', `every ${formatDuration(interval)} with ${type === 'ping' ? 'a ping' : (http?.method ?? 'GET')}`],
    ['Gives up after', formatDuration(timeout)],
    [
      'Down after',
      retries === 0 ? 'one failed check' : `a failed check and ${more}, ${formatDuration(retry_interval)} apart`,
    ],
    ['Reminders', remind_every === 0 ? 'none' : `every ${formatDuration(60 * remind_every)} while it is down`],
  ]
  if (http === null) return settings
  const headers = Object.keys(http.headers)
  return [
    ...settings,
    ['Expects', `status ${http.expected_status}`],
    ...(http.keyword === null ? [] : [['Must contain', http.keyword] as [string, string]]),
    ...(http.keyword_absent === null ? [] : [['Must not contain', http.keyword_absent] as [string, string]]),
    ...(headers.length === 0 ? [] : [['Sends', headers.join(', ')] as [string, string]]),
    ...(http.follow_redirects ? [] : [['Redirects', 'not followed'] as [string, string]]),
    ...(http.verify_tls ? [] : [['Certificate', 'not verified'] as [string, string]]),
  ]
}

export function SettingsPanel({ monitor }: { monitor: MonitorRecord }) {
  return (
    <Panel title="How it is checked">
      <dl class="monitor-settings">
        {settingsOf(monitor).map(([name, value]) => (
          <div key={name}>
            <dt class="muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
