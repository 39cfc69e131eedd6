/** All rows of a panel with their figures, with search, sorting, pages and CSV download. */
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
import { panelLabels } from './panel-labels.ts'
import { buildRowPath, type Statistics } from './queries.ts'
import { DEFAULT_SORTING, explainMissingDetails } from './row-columns.ts'
import { RowTable } from './row-table.tsx'
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
  const [sorting, setSorting] = useState(DEFAULT_SORTING)
  const search = useDebounced(typedText.trim())
  const { website, panels } = statistics
  const results = useRowSearch(website.id, view, { name, search, page, sorting })
  // Counting details takes a moment. Until then, the rows of the panel are shown without them.
  const isPlaceholder = results.isPending && results.error === null && search === '' && sorting === DEFAULT_SORTING
  const rows = isPlaceholder ? panels[name] : results.rows
  const note = explainMissingDetails(name, rows)
  // The problem is shown inside the dialog, because the dialog would cover a toast.
  const [problem, setProblem] = useState<ApiProblem>()
  return (
    <Dialog title={panelLabels[name].plural} isWide onClose={onClose}>
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
        <div class="website-all-rows" aria-busy={results.isBusy}>
          {results.error ? (
            <ErrorState error={results.error} retry={results.retry} />
          ) : (
            <RowTable
              name={name}
              rows={rows}
              maxCount={panels[name][0]?.count ?? 0}
              sorting={sorting}
              onSort={(nextSorting) => {
                setSorting(nextSorting)
                setPage(1)
              }}
              filters={view.filters}
              onFilter={onFilter}
            />
          )}
        </div>
        {note !== undefined && <p class="small muted">{note}</p>}
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
              path={buildRowPath(website.id, view, { name, search, sorting })}
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
