/** One panel: its tabs, the largest of the chosen one, and the way to all of them. */
import { useRef, useState } from 'preact/hooks'
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page.tsx'
import { MoreDialog } from './all-rows-dialog.tsx'
import { CountryMap } from './country-map.tsx'
import { type Filter, filterOf } from './filters.ts'
import { nothingWords, panelWords, wholeOf } from './panel-labels.ts'
import type { Statistics } from './queries.ts'
import { RowHead, RowList } from './row-list.tsx'
import type { View } from './view.ts'

export interface Tab {
  name: PanelName
  label: string
  /** The same, drawn on a map. */
  isMap?: boolean
  /** Not known to every server: there from when there is something. */
  isRare?: boolean
}

interface TrafficPanelProps {
  title: string
  tabs: readonly Tab[]
  statistics: Statistics
  view: View
  onFilter: (filter: Filter) => void
}

export function TrafficPanel({ title, tabs, statistics, view, onFilter }: TrafficPanelProps) {
  const [chosen, setChosen] = useState(0)
  const [isMore, setMore] = useState(false)
  const { panels, totals } = statistics
  const tab = tabs[chosen] as Tab
  const { name } = tab
  const rows = panels[name]
  const seen = useSeen(tabs, statistics)
  const tallest = useTallest(Math.max(...tabs.map((one) => panels[one.name].length)))
  return (
    <Panel
      title={title}
      actions={
        tabs.length > 1 && (
          <Tabs
            label={title}
            tabs={tabs.map((one, index) => ({
              label: one.label,
              isShown: !one.isRare || index === chosen || seen.has(one.name),
            }))}
            chosen={chosen}
            onChoose={setChosen}
          />
        )
      }
    >
      <div class="website-panel-body" style={{ '--rows': tallest }}>
        {tab.isMap ? (
          <CountryMap id={statistics.website.id} part={view} onPick={(code) => onFilter(filterOf('country', code))} />
        ) : rows.length === 0 ? (
          <p class="website-nothing muted">{nothingWords(statistics, view.filters.length > 0)}</p>
        ) : (
          <>
            <RowHead name={name} />
            <RowList
              name={name}
              rows={rows}
              whole={wholeOf(name, totals)}
              most={rows[0]?.count ?? 0}
              filters={view.filters}
              onFilter={onFilter}
            />
          </>
        )}
      </div>
      <div class="website-panel-foot">
        {rows.length > 0 && (
          <Button kind="quiet" small onClick={() => setMore(true)}>
            More<span class="hidden-text"> {panelWords[name].many.toLowerCase()}</span>
          </Button>
        )}
      </div>
      {isMore && (
        <MoreDialog
          name={name}
          statistics={statistics}
          view={view}
          onFilter={(filter) => {
            setMore(false)
            onFilter(filter)
          }}
          onClose={() => setMore(false)}
        />
      )}
    </Panel>
  )
}

/** A panel never shrinks under the pointer: it stays as tall as it was at most. */
function useTallest(rows: number): number {
  const tallest = useRef(5)
  tallest.current = Math.max(tallest.current, rows)
  return tallest.current
}

/** Which panels have had something since the page is open: a tab that has come stays, or the others would move. */
function useSeen(tabs: readonly Tab[], { panels }: Statistics): ReadonlySet<PanelName> {
  const seen = useRef(new Set<PanelName>())
  for (const { name } of tabs) if (panels[name].length > 0) seen.current.add(name)
  return seen.current
}

interface TabsProps {
  label: string
  tabs: readonly { label: string; isShown: boolean }[]
  chosen: number
  onChoose: (index: number) => void
}

function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent with a form
    <div class="website-tabs" role="group" aria-label={`${label}: what to show`}>
      {tabs.map(
        (tab, index) =>
          tab.isShown && (
            <button key={tab.label} type="button" aria-pressed={index === chosen} onClick={() => onChoose(index)}>
              {tab.label}
            </button>
          ),
      )}
    </div>
  )
}
