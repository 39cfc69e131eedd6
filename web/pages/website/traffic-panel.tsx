/** A panel with tabs, the top rows of the selected tab and a button that opens all rows. */
import { ArrowRight } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Panel } from '../../components/page.tsx'
import { AllRowsDialog } from './all-rows-dialog.tsx'
import { CountryMap } from './country-map.tsx'
import { DownloadButton } from './download-button.tsx'
import { createFilter, type TrafficFilter } from './filters.ts'
import { describeEmptyPanel, getPanelTotal, panelLabels } from './panel-labels.ts'
import { buildPanelPath, type Statistics } from './queries.ts'
import { RowHead, RowList } from './row-list.tsx'
import type { WebsiteView } from './view.ts'

export interface PanelTab {
  name: PanelName
  label: string
  /** Whether the values are shown on a map instead of a list. */
  isMap?: boolean
  /** Set for data that only some servers have: regions and cities need a city database. */
  isHiddenWhenEmpty?: boolean
}

interface TrafficPanelProps {
  title: string
  tabs: readonly PanelTab[]
  statistics: Statistics
  view: WebsiteView
  onFilter: (filter: TrafficFilter) => void
}

/** A statistics response has up to ten rows of each panel. Nine of them leave room for the buttons below. */
const MAX_PANEL_ROWS = 9
const MIN_PANEL_ROWS = 5

export function TrafficPanel({ title, tabs, statistics, view, onFilter }: TrafficPanelProps) {
  const [selectedIndex, setSelectedIndex] = useState(0)
  const [isDialogOpen, setDialogOpen] = useState(false)
  const { panels, totals } = statistics
  const selectedTab = tabs[selectedIndex] as PanelTab
  const { name } = selectedTab
  const rows = panels[name].slice(0, MAX_PANEL_ROWS)
  const panelsWithData = usePanelsWithData(tabs, statistics)
  const maxRowCount = useMaxRowCount(
    Math.min(MAX_PANEL_ROWS, Math.max(...tabs.map((tab) => panels[tab.name].length))),
    tabs.length > 1 ? MIN_PANEL_ROWS : 1,
  )
  return (
    <Panel
      title={title}
      actions={
        tabs.length > 1 && (
          <Tabs
            label={title}
            tabs={tabs.map((tab, index) => ({
              label: tab.label,
              isShown: !tab.isHiddenWhenEmpty || index === selectedIndex || panelsWithData.has(tab.name),
            }))}
            selectedIndex={selectedIndex}
            onSelect={setSelectedIndex}
          />
        )
      }
    >
      <div class="website-panel-body" style={{ '--rows': maxRowCount }}>
        {selectedTab.isMap ? (
          <CountryMap
            id={statistics.website.id}
            totalVisitors={totals.visitors}
            selection={view}
            onPick={(code) => onFilter(createFilter('country', code))}
          />
        ) : rows.length === 0 ? (
          <p class="website-empty muted">{describeEmptyPanel(statistics, view.filters.length > 0)}</p>
        ) : (
          <>
            <RowHead name={name} />
            <RowList
              name={name}
              rows={rows}
              total={getPanelTotal(name, totals)}
              maxCount={rows[0]?.count ?? 0}
              filters={view.filters}
              onFilter={onFilter}
            />
          </>
        )}
      </div>
      <div class="website-panel-foot">
        {rows.length > 0 && (
          <DownloadButton
            path={buildPanelPath(statistics.website.id, view, { name })}
            label={`Download ${panelLabels[name].plural.toLowerCase()} as CSV`}
          />
        )}
        {rows.length > 0 && (
          <Button kind="quiet" small onClick={() => setDialogOpen(true)}>
            View all<span class="hidden-text"> {panelLabels[name].plural.toLowerCase()}</span>
            <Icon icon={ArrowRight} size={14} />
          </Button>
        )}
      </div>
      {isDialogOpen && (
        <AllRowsDialog
          name={name}
          statistics={statistics}
          view={view}
          onFilter={(filter) => {
            setDialogOpen(false)
            onFilter(filter)
          }}
          onClose={() => setDialogOpen(false)}
        />
      )}
    </Panel>
  )
}

/** The length of the longest list so far. The panel keeps that height, so that it doesn't shrink under the pointer. */
function useMaxRowCount(rowCount: number, minRowCount: number): number {
  const maxRowCount = useRef(minRowCount)
  maxRowCount.current = Math.max(maxRowCount.current, rowCount)
  return maxRowCount.current
}

/** Panels that have had data since the page was opened. Their tabs stay even without data, so that the others don't move. */
function usePanelsWithData(tabs: readonly PanelTab[], { panels }: Statistics): ReadonlySet<PanelName> {
  const names = useRef(new Set<PanelName>())
  for (const { name } of tabs) if (panels[name].length > 0) names.current.add(name)
  return names.current
}

interface TabsProps {
  label: string
  tabs: readonly { label: string; isShown: boolean }[]
  selectedIndex: number
  onSelect: (index: number) => void
}

function Tabs({ label, tabs, selectedIndex, onSelect }: TabsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div class="website-tabs" role="group" aria-label={`${label} breakdown`}>
      {tabs.map(
        (tab, index) =>
          tab.isShown && (
            <button
              key={tab.label}
              type="button"
              aria-pressed={index === selectedIndex}
              onClick={() => onSelect(index)}
            >
              {tab.label}
            </button>
          ),
      )}
    </div>
  )
}
