/** The column headings, which stay at the top while the list scrolls. Each row names its own figures for screen readers. */
import { ChevronsDownUp, ChevronsUpDown } from 'lucide-preact'
import { Icon } from '../../components/icon.tsx'

interface ListHeadProps {
  dayCount: number
  /** Undefined if there is no group to collapse. */
  groups: { areCollapsed: boolean; onToggleAll: () => void } | undefined
}

export function ListHead({ dayCount, groups }: ListHeadProps) {
  const label = groups?.areCollapsed ? 'Expand all groups' : 'Collapse all groups'
  return (
    <div class="overview-head">
      {groups && (
        <button type="button" class="overview-toggle" aria-label={label} onClick={groups.onToggleAll}>
          <Icon icon={groups.areCollapsed ? ChevronsUpDown : ChevronsDownUp} size={14} />
        </button>
      )}
      <span class="overview-name" aria-hidden="true">
        Name
      </span>
      <span class="overview-now" aria-hidden="true">
        Now
      </span>
      <span class="overview-today" aria-hidden="true">
        Today
      </span>
      <span class="overview-trend" aria-hidden="true">
        Trend
      </span>
      <span class="overview-bars" aria-hidden="true">
        Last {dayCount} days
      </span>
      <span class="overview-percent" aria-hidden="true">
        Uptime
      </span>
      <span class="overview-response" aria-hidden="true">
        Response
      </span>
    </div>
  )
}
