import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'

/** If there are more labels, their number is shown instead. */
const MAX_SHOWN_LABELS = 3

/** The labels of the affected monitors, in the order of the page. */
export function MonitorTags({ page, monitorIds }: { page: StatusPage; monitorIds: readonly number[] }) {
  const monitors = listPageMonitors(page).filter(({ monitor_id }) => monitorIds.includes(monitor_id))
  const hiddenCount = monitors.length - MAX_SHOWN_LABELS
  return (
    <>
      {monitors.slice(0, MAX_SHOWN_LABELS).map(({ monitor_id, label }) => (
        <span key={monitor_id} class="tag post-tag">
          {label}
        </span>
      ))}
      {hiddenCount > 0 && <span class="tag">{`+${hiddenCount}`}</span>}
    </>
  )
}
