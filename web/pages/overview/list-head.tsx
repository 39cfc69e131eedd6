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
  const headings = [
    ['name', 'Name'],
    ['now', 'Now'],
    ['today', 'Today'],
    ['trend', 'Trend'],
    ['bars', `Last ${dayCount} days`],
    ['percent', 'Uptime'],
    ['response', 'Response'],
  ] as const
  return (
    <div class="overview-head">
      {groups && (
        <button type="button" class="overview-toggle" aria-label={label} onClick={groups.onToggleAll}>
          <Icon icon={groups.areCollapsed ? ChevronsUpDown : ChevronsDownUp} size={14} />
        </button>
      )}
      {headings.map(([column, heading]) => (
        <span key={column} class={`overview-${column}`} aria-hidden="true">
          {heading}
        </span>
      ))}
    </div>
  )
}
