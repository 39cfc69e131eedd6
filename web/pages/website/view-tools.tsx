/** The controls for period, comparison and filters, and their keyboard shortcuts. */
import { useState } from 'preact/hooks'
import { ComparisonMenu } from './comparison-menu.tsx'
import { FilterChips } from './filter-chips.tsx'
import { PeriodMenu } from './period-menu.tsx'
import { RangeDialog } from './range-dialog.tsx'
import { useViewKeys } from './use-view-keys.ts'
import type { ChangeView, WebsiteView } from './view.ts'

interface ViewToolsProps {
  view: WebsiteView
  today: string
  /** The first day with traffic. */
  firstDay: string | undefined
  changeView: ChangeView
}

export function ViewTools({ view, today, firstDay, changeView }: ViewToolsProps) {
  const [isRangeOpen, setRangeOpen] = useState(false)
  const onCustomRange = () => setRangeOpen(true)
  useViewKeys({ view, today, changeView, onCustomRange })
  return (
    <>
      <div class="website-tools">
        <PeriodMenu {...{ view, today, changeView, onCustomRange }} />
        {view.period !== 'all' && <ComparisonMenu view={view} changeView={changeView} />}
      </div>
      <FilterChips filters={view.filters} onChange={(filters) => changeView({ filters })} />
      {isRangeOpen && (
        <RangeDialog
          range={view}
          today={today}
          firstDay={firstDay}
          onApply={(range) => {
            setRangeOpen(false)
            changeView({ period: undefined, ...range })
          }}
          onClose={() => setRangeOpen(false)}
        />
      )}
    </>
  )
}
