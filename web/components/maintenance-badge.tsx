import { Wrench } from 'lucide-preact'
import { formatUntil } from '../lib/maintenance-times.ts'
import { Icon } from './icon.tsx'
import './maintenance.css'

/** Shown beside the name or status of a monitor that is in maintenance. */
export function MaintenanceBadge({ until }: { until?: string }) {
  return (
    <span class="tag maintenance-badge" title={until && `In maintenance until ${formatUntil(until)}`}>
      <Icon icon={Wrench} size={12} />
      Maintenance
    </span>
  )
}
