import { useOverview } from '../../lib/queries.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { summarizePage } from './summarize-page.ts'
import './page-state.css'

/** What the page tells its visitors, for example “All systems operational”. */
export function StatusPageState({ page }: { page: StatusPage }) {
  const { data } = useOverview()
  const { tone, text } = summarizePage(page, data?.monitors)
  return <span class={`page-state tone-${tone}`}>{text}</span>
}
