import type { RefObject } from 'preact'
import { Button } from '../../components/button.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { Segments } from '../../components/segments.tsx'
import { formatCount, formatNumber } from '../../lib/format.ts'
import { hasShortcuts } from '../../lib/shortcuts.ts'
import { useMedia } from '../../lib/use-media.ts'
import type { Filter } from './rows.ts'
import type { Choice } from './use-choice.ts'
import type { Counts } from './words.ts'

const choices: readonly { value: Filter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'down', label: 'Down' },
  { value: 'websites', label: 'Websites' },
  { value: 'monitors', label: 'Monitors' },
]

/** As overview.css has it: a phone, or whatever else has no keys. */
const KEYLESS = '(hover: none), (max-width: 44rem)'

interface ToolbarProps {
  choice: Choice
  search: RefObject<HTMLInputElement>
  onHelp: () => void
}

export function Toolbar({ choice, search, onHelp }: ToolbarProps) {
  const hasKeys = !useMedia(KEYLESS) && hasShortcuts()
  return (
    <search class="overview-tools">
      <SearchBox
        box={search}
        label="Search websites and monitors"
        placeholder={hasKeys ? 'Search ( / )' : 'Search'}
        value={choice.query}
        onValue={(q) => choice.set({ q })}
      />
      <Segments label="Show" choices={choices} value={choice.filter} onValue={(show) => choice.set({ show })} />
      <div class="overview-help">
        <Button kind="quiet" onClick={onHelp}>
          Keys
        </Button>
      </div>
    </search>
  )
}

interface SummaryProps {
  counts: Counts
  hasMonitors: boolean
  hasWebsites: boolean
}

/** "2 down · 148 up · 37 visitors now" */
export function Summary({ counts, hasMonitors, hasWebsites }: SummaryProps) {
  const { down, up, pending, paused, visitors } = counts
  const rest = [
    hasMonitors && `${formatNumber(up)} up`,
    pending > 0 && `${formatNumber(pending)} pending`,
    paused > 0 && `${formatNumber(paused)} paused`,
    hasWebsites && formatCount(visitors, 'visitor now', 'visitors now'),
  ].filter(Boolean)
  return (
    <p class="overview-summary numbers">
      {down > 0 && (
        <>
          <strong class="overview-down">{formatNumber(down)} down</strong>
          {' · '}
        </>
      )}
      {rest.join(' · ')}
    </p>
  )
}
