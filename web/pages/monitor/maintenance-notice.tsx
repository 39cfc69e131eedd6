import { CircleStop, Wrench } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { formatUntil } from '../../lib/maintenance-times.ts'
import { endMaintenance, includesMonitor, type Maintenance, useMaintenances } from '../../lib/maintenances.ts'

/** The maintenances of a monitor that are in progress. */
export function MaintenanceNotice({ monitor }: { monitor: MonitorRecord }) {
  const { data } = useMaintenances('active', monitor.in_maintenance)
  if (!monitor.in_maintenance || data === undefined) return null
  return (
    <>
      {data
        .filter((maintenance) => includesMonitor(maintenance, monitor))
        .map((maintenance) => (
          <ActiveMaintenance key={maintenance.id} maintenance={maintenance} />
        ))}
    </>
  )
}

function ActiveMaintenance({ maintenance }: { maintenance: Maintenance }) {
  const { title, ends_at, all_monitors, tags, monitor_ids } = maintenance
  const [busy, setBusy] = useState(false)
  const isForOthers = all_monitors || tags.length > 0 || monitor_ids.length > 1
  return (
    <div class="notice monitor-maintenance">
      <Icon icon={Wrench} />
      <div class="notice-text">
        <strong>In maintenance until {formatUntil(ends_at)}.</strong> <Link href="/maintenance">{title}</Link>
        {isForOthers && ' (includes other monitors)'}. Alerts are off, and the time doesn't count as downtime.
      </div>
      <Button
        small
        icon={CircleStop}
        busy={busy}
        onClick={async () => {
          setBusy(true)
          await endMaintenance(maintenance)
          setBusy(false)
        }}
      >
        End now
      </Button>
    </div>
  )
}
