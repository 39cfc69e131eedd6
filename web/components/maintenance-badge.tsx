import { Wrench } from 'lucide-preact'
import { formatUntil } from '../lib/maintenance-times.ts'
import { Icon } from './icon.tsx'
import './maintenance.css'

interface MaintenanceBadgeProps {
  until?: string
  /** Shows only the icon, where there is little space. */
  isCompact?: boolean
}

/** Shown beside the name or status of a monitor that is in maintenance. */
export function MaintenanceBadge({ until, isCompact = false }: MaintenanceBadgeProps) {
  return (
    <span class="tag maintenance-badge" title={until && `In maintenance until ${formatUntil(until)}`}>
      <Icon icon={Wrench} size={12} />
      <span class={isCompact ? 'hidden-text' : undefined}>Maintenance</span>
    </span>
  )
}
