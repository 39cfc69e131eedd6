/** Everything of a panel: searched, page by page, or as a file. */
import { useState } from 'preact/hooks'
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ErrorState } from '../../components/states.tsx'
import { toApiProblem, type ApiProblem } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { useSettled } from '../../lib/use-debounced.ts'
import { downloadCsv } from './download.ts'
import type { Filter } from './filters.ts'
import { panelWords, wholeOf } from './panel-labels.ts'
import { panelPath, type Statistics } from './queries.ts'
import { RowHead, RowList } from './row-list.tsx'
import { useFoundRows } from './use-row-search.ts'
import type { View } from './view.ts'

interface MoreDialogProps {
  name: PanelName
  statistics: Statistics
  view: View
  onFilter: (filter: Filter) => void
  onClose: () => void
}

export function MoreDialog({ name, statistics, view, onFilter, onClose }: MoreDialogProps) {
  const [typed, setTyped] = useState('')
  const [page, setPage] = useState(1)
  const search = useSettled(typed.trim())
  const { website, totals, panels } = statistics
  const found = useFoundRows(website.id, view, { name, search, page })
  const [isSaving, setSaving] = useState(false)
  // Said here: beside an open dialog nobody would see it.
  const [problem, setProblem] = useState<ApiProblem>()

  async function save() {
    setSaving(true)
    setProblem(undefined)
    await downloadCsv(panelPath(website.id, view, { name, search })).catch((error) => setProblem(toApiProblem(error)))
    setSaving(false)
  }

  return (
    <Dialog title={panelWords[name].many} onClose={onClose}>
      <div class="stack">
        <TextField
          label="Search"
          type="search"
          value={typed}
          onValue={(value) => {
            setTyped(value)
            setPage(1)
          }}
        />
        <div>
          <RowHead name={name} />
          <div class="website-more" aria-busy={found.isBusy}>
            {found.error ? (
              <ErrorState error={found.error} retry={found.retry} />
            ) : (
              <RowList
                name={name}
                rows={found.rows}
                whole={wholeOf(name, totals)}
                most={panels[name][0]?.count ?? 0}
                filters={view.filters}
                onFilter={onFilter}
              />
            )}
          </div>
        </div>
        <ProblemNotice problem={problem} />
        <div class="website-more-foot">
          <p class="small muted numbers" role="status">
            {found.total === 0
              ? found.isBusy || found.error
                ? ''
                : 'Nothing found.'
              : `${formatNumber(found.first)}–${formatNumber(found.last)} of ${formatNumber(found.total)}`}
          </p>
          <div class="row">
            <Button small disabled={page === 1} onClick={() => setPage(page - 1)}>
              Previous
            </Button>
            <Button small disabled={found.last >= found.total} onClick={() => setPage(page + 1)}>
              Next
            </Button>
            <Button small busy={isSaving} onClick={() => void save()}>
              Download CSV
            </Button>
          </div>
        </div>
      </div>
    </Dialog>
  )
}
