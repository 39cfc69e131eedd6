/** A summary of the monitor's settings. */
import { Link } from 'wouter-preact'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Panel } from '../../components/page.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { getHost } from '../../lib/monitor-types.ts'
import { useOverview } from '../../lib/queries.ts'
import { listSettings } from './list-settings.ts'

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
        {monitor.type === 'traffic' && <TrafficAlerts domain={getHost(monitor.url)} />}
        {monitor.depends_on !== null && <Dependency id={monitor.depends_on} />}
      </dl>
    </Panel>
  )
}

/** Links to the settings of the website, which decide what its traffic monitor reports. */
function TrafficAlerts({ domain }: { domain: string }) {
  return (
    <div>
      <dt class="muted">Traffic alerts</dt>
      <dd>
        <Link href={`/${domain}/settings`}>Settings of {toDisplayHost(domain)}</Link>
      </dd>
    </div>
  )
}

function Dependency({ id }: { id: number }) {
  const { data } = useOverview()
  const name = data?.monitors.find((monitor) => monitor.id === id)?.friendly_name
  return (
    <div>
      <dt class="muted">Depends on</dt>
      <dd>
        <Link href={`/monitors/${id}`}>{name ?? `Monitor ${id}`}</Link>
      </dd>
    </div>
  )
}
