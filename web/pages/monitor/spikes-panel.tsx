/** Traffic spikes and their alerts. They belong to no incident, so the list of incidents doesn't show them. */
import { describeExpectedVisits, describeTopSource } from '../../../src/shared/spike.ts'
import { Panel } from '../../components/page.tsx'
import { DateTime } from '../../components/time.tsx'
import { useChannels } from '../../lib/channels.ts'
import { formatNumber, pluralize } from '../../lib/format.ts'
import { AlertList } from './alert-list.tsx'
import { type Alert, useAlerts } from './queries.ts'
import './spikes-panel.css'

/** How many of the newest spikes are listed. */
const MAX_LISTED_SPIKES = 5

/** Shows nothing if there was no spike yet. */
export function SpikesPanel({ monitorId }: { monitorId: number }) {
  const { data } = useAlerts(monitorId)
  const channels = useChannels().data ?? []
  const spikes = groupBySpike(data?.data ?? [])
  if (spikes.length === 0) return null
  return (
    <Panel title="Traffic spikes">
      <ul class="monitor-spikes">
        {spikes.slice(0, MAX_LISTED_SPIKES).map(({ details, alerts }) => (
          <li key={details.since}>
            <p>
              <b>
                {pluralize(details.visits, 'visit')}, {describeExpectedVisits(details, formatNumber)} expected
              </b>
              <span class="muted">
                {' · '}since <DateTime at={details.since} />
              </span>
            </p>
            <p class="small">{describeTopSource(details, formatNumber)}</p>
            <AlertList alerts={alerts} total={alerts.length} channels={channels} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}

interface AlertedSpike {
  details: NonNullable<Alert['details']>
  alerts: Alert[]
}

/** Groups the alerts by spike. Each channel gets its own alert about a spike, with the same figures. */
function groupBySpike(alerts: readonly Alert[]): AlertedSpike[] {
  const spikes = new Map<string, AlertedSpike>()
  for (const alert of alerts) {
    const { details } = alert
    if (details === null) continue
    const spike = spikes.get(details.since) ?? { details, alerts: [] }
    spikes.set(details.since, spike)
    spike.alerts.push(alert)
  }
  return [...spikes.values()]
}
