import { Keyboard } from 'lucide-preact'
import type { RefObject } from 'preact'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { ChosenTags, TagMenu } from '../../components/tag-filter.tsx'
import { areShortcutsEnabled } from '../../lib/shortcuts.ts'
import type { TagCount } from '../../lib/tags.ts'
import { can } from '../../lib/team.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import type { RowFilter } from './rows.ts'
import type { ListParams } from './use-list-params.ts'
import './toolbar.css'

const filterChoices: readonly { value: RowFilter; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'down', label: 'Down' },
  { value: 'websites', label: 'Websites' },
  { value: 'monitors', label: 'Monitors' },
]

/** Matches devices that are unlikely to have a keyboard. toolbar.css uses the same query. */
const NO_KEYBOARD_QUERY = '(hover: none), (max-width: 44rem)'

interface ToolbarProps {
  params: ListParams
  tagCounts: readonly TagCount[]
  searchInput: RefObject<HTMLInputElement>
  onHelp: () => void
}

export function Toolbar({ params, tagCounts, searchInput, onHelp }: ToolbarProps) {
  const canUseShortcuts = !useMediaQuery(NO_KEYBOARD_QUERY) && areShortcutsEnabled()
  return (
    <search class="overview-tools">
      <SearchBox
        inputRef={searchInput}
        label="Search websites and monitors"
        placeholder={canUseShortcuts ? 'Search (press /)' : 'Search'}
        value={params.query}
        onValue={(q) => params.set({ q })}
      />
      {can('browse') && (
        <SegmentedControl
          label="Show"
          choices={filterChoices}
          value={params.filter}
          onValue={(show) => params.set({ show })}
        />
      )}
      <TagMenu tags={params.tags} counts={tagCounts} onTags={(tag) => params.set({ tag })} />
      <div class="overview-help">
        <Button kind="quiet" onClick={onHelp}>
          <Icon icon={Keyboard} />
          Shortcuts
        </Button>
      </div>
      <ChosenTags tags={params.tags} onTags={(tag) => params.set({ tag })} />
    </search>
  )
}
