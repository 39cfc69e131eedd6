/** The alerts about traffic spikes. They belong to no incident, so the list of incidents doesn't show them. */
import { Panel } from '../../components/page.tsx'
import { useProviders } from '../../lib/providers.ts'
import { AlertList } from './alert-list.tsx'
import { useAlerts } from './queries.ts'

/** How many of the newest alerts are listed. */
const MAX_LISTED_ALERTS = 10

/** Shows nothing until there was a spike. */
export function SpikesPanel({ monitorId }: { monitorId: number }) {
  const { data } = useAlerts(monitorId)
  const providers = useProviders().data ?? []
  const spikes = data?.data.filter(({ event }) => event === 'spike') ?? []
  if (spikes.length === 0) return null
  return (
    <Panel title="Traffic spikes">
      <AlertList alerts={spikes.slice(0, MAX_LISTED_ALERTS)} total={spikes.length} providers={providers} />
    </Panel>
  )
}
