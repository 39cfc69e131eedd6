/** All rows of a panel, with search, pages and CSV download. */
import { useState } from 'preact/hooks'
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ErrorState } from '../../components/states.tsx'
import type { ApiProblem } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useDebounced } from '../../lib/use-debounced.ts'
import { DownloadButton } from './download-button.tsx'
import type { TrafficFilter } from './filters.ts'
import { getPanelTotal, panelLabels } from './panel-labels.ts'
import { buildPanelPath, type Statistics } from './queries.ts'
import { RowHead, RowList } from './row-list.tsx'
import { useRowSearch } from './use-row-search.ts'
import type { WebsiteView } from './view.ts'

interface AllRowsDialogProps {
  name: PanelName
  statistics: Statistics
  view: WebsiteView
  onFilter: (filter: TrafficFilter) => void
  onClose: () => void
}

export function AllRowsDialog({ name, statistics, view, onFilter, onClose }: AllRowsDialogProps) {
  const [typedText, setTypedText] = useState('')
  const [page, setPage] = useState(1)
  const search = useDebounced(typedText.trim())
  const { website, totals, panels } = statistics
  const results = useRowSearch(website.id, view, { name, search, page })
  // The problem is shown inside the dialog, because the dialog would cover a toast.
  const [problem, setProblem] = useState<ApiProblem>()
  return (
    <Dialog title={panelLabels[name].plural} onClose={onClose}>
      <div class="stack">
        <TextField
          label="Search"
          type="search"
          autofocus
          value={typedText}
          onValue={(value) => {
            setTypedText(value)
            setPage(1)
          }}
        />
        <div>
          <RowHead name={name} />
          <div class="website-all-rows" aria-busy={results.isBusy}>
            {results.error ? (
              <ErrorState error={results.error} retry={results.retry} />
            ) : (
              <RowList
                name={name}
                rows={results.rows}
                total={getPanelTotal(name, totals)}
                maxCount={panels[name][0]?.count ?? 0}
                filters={view.filters}
                onFilter={onFilter}
              />
            )}
          </div>
        </div>
        <ProblemNotice problem={problem} />
        <div class="website-all-rows-foot">
          <p class="small muted numbers" role="status">
            {results.total === 0
              ? results.isBusy || results.error
                ? ''
                : 'No results'
              : `${formatNumber(results.first)}–${formatNumber(results.last)} of ${formatNumber(results.total)}`}
          </p>
          <div class="row">
            <Button small disabled={page === 1} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button small disabled={results.last >= results.total} onClick={() => setPage(page + 1)}>
              Next
            </Button>
            <DownloadButton
              path={buildPanelPath(website.id, view, { name, search })}
              label="Download CSV"
              isTextShown
              onProblem={setProblem}
            />
          </div>
        </div>
      </div>
    </Dialog>
  )
}
