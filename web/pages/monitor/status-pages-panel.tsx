import { Link } from 'wouter-preact'
import { Panel } from '../../components/page.tsx'
import { toStatusPagePath } from '../../lib/status-page-path.ts'
import { listPageMonitors, useStatusPages } from '../../lib/status-pages.ts'

/** The status pages that show a monitor rarely change. */
const STALE_MS = 60_000

/** The status pages that show the monitor, with its label there. */
export function StatusPagesPanel({ monitorId }: { monitorId: number }) {
  const { data: pages = [] } = useStatusPages(true, { staleTime: STALE_MS })
  const entries = pages.flatMap((page) =>
    listPageMonitors(page)
      .filter(({ monitor_id }) => monitor_id === monitorId)
      .map(({ label }) => ({ page, label })),
  )
  if (entries.length === 0) return null
  return (
    <Panel title="Status pages">
      <ul class="monitor-status-pages">
        {entries.map(({ page, label }) => (
          <li key={page.id}>
            <Link href={toStatusPagePath(page.id)}>{page.title}</Link>
            <span class="muted small">as “{label}”</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
