/** The command palette: finds and opens any website, monitor or page, and runs actions. */
import { QueryClientProvider } from '@tanstack/preact-query'
import { ArrowDown, ArrowUp, CornerDownLeft, type LucideIcon, Search } from 'lucide-preact'
import { render } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { Icon } from '../components/icon.tsx'
import { basePath } from '../lib/boot.ts'
import { useOpenIncidents } from '../lib/incidents.ts'
import { queryClient, useOverview } from '../lib/queries.ts'
import { isApplePlatform } from '../lib/shortcuts.ts'
import { useStatusPages } from '../lib/status-pages.ts'
import { showProblem } from '../lib/toasts.ts'
import { useDebounced } from '../lib/use-debounced.ts'
import type { PaletteEffect, PaletteItem, TargetCommand } from './item.ts'
import { listRecordItems } from './items.ts'
import { addRecentId, readRecentIds } from './recent.ts'
import { ResultList } from './result-list.tsx'
import { findActiveIndex } from './search.ts'
import { createPaletteIndex, listSuggestions, type PaletteList, searchPalette, searchTargets } from './sections.ts'
import { decideEnter, readTypedKeys, type TypedKeys } from './typed-keys.ts'
import './palette.css'

let container: HTMLElement | undefined

/** `keys` were pressed while the palette was still opening. */
export function showPalette(keys: readonly string[]): void {
  const typed = readTypedKeys(keys)
  if (container !== undefined || typed.isCancelled) return
  container = document.body.appendChild(document.createElement('div'))
  render(
    <QueryClientProvider client={queryClient}>
      <Palette typed={typed} onClose={hidePalette} />
    </QueryClientProvider>,
    container,
  )
}

export function hidePalette(): void {
  if (container === undefined) return
  render(null, container)
  container.remove()
  container = undefined
}

function Palette({ typed, onClose }: { typed: TypedKeys; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [text, setText] = useState(typed.text)
  const [command, setCommand] = useState<TargetCommand>()
  /** Undefined until the user moves to a result. */
  const [chosenIndex, setActiveIndex] = useState<number>()
  const { list, isLoading, isFetching } = usePaletteList(text, command)
  const items = list.sections.flatMap(({ results }) => results.map(({ item }) => item))
  const activeIndex = findActiveIndex(chosenIndex, items.length, list.isEmpty)
  const activeItem = items[activeIndex]
  const summary = isLoading && list.isEmpty ? 'Loading…' : list.summary
  const announcement = useDebounced(summary)
  /** Set if Enter waits for the records. Opens the first result once they are there. */
  const [waitingEnter, setWaitingEnter] = useState(typed.isEntered ? { inNewTab: false } : undefined)
  const onEnter = decideEnter({
    isChosen: chosenIndex !== undefined,
    hasActiveItem: activeItem !== undefined,
    isLoading,
    isFetching,
  })

  // A layout effect, because keys that are pressed before the next paint must reach the search field already.
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    return () => element?.close()
  }, [])
  useEffect(() => {
    if (waitingEnter === undefined || onEnter === 'wait') return
    setWaitingEnter(undefined)
    if (onEnter === 'open' && activeItem) choose(activeItem, waitingEnter.inNewTab)
  }, [waitingEnter, onEnter, activeItem])

  function search(nextText: string, nextCommand = command) {
    setText(nextText)
    setCommand(nextCommand)
    setActiveIndex(undefined)
  }

  function choose(item: PaletteItem, inNewTab: boolean) {
    // When the user chooses the target of a command, the target isn't remembered. The command already is.
    if (command === undefined) addRecentId(item.id)
    if (item.effect.kind === 'choose') return search('', item.effect.command)
    onClose()
    runEffect(item.effect, inNewTab)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.isComposing) return
    setWaitingEnter(undefined)
    const next = findNextIndex(event, activeIndex, items.length)
    if (next !== undefined) setActiveIndex(next)
    else if (event.key === 'Enter' && onEnter !== 'ignore') {
      const inNewTab = event.ctrlKey || event.metaKey
      if (onEnter === 'open' && activeItem) choose(activeItem, inNewTab)
      else setWaitingEnter({ inNewTab })
    } else if (event.key === 'Backspace' && text === '' && command !== undefined) {
      setCommand(undefined)
      setActiveIndex(undefined)
    } else return
    event.preventDefault()
  }

  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Command palette"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => event.target === dialog.current && onClose()}
    >
      <div class="palette-search">
        <Icon icon={Search} size={18} />
        {command && <span class="palette-command">{command.label.replace(/…$/, '')}</span>}
        <input
          type="text"
          role="combobox"
          aria-label={command?.label ?? 'Search websites, monitors, incidents, pages and actions'}
          aria-expanded="true"
          aria-controls="palette-results"
          aria-autocomplete="list"
          aria-activedescendant={activeItem && `palette-${activeItem.id}`}
          placeholder={command === undefined ? 'Search or run a command…' : `Search ${command.targets}…`}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          enterkeyhint="go"
          autofocus
          value={text}
          onInput={(event) => search(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="palette-close" onClick={onClose}>
          Close
        </button>
      </div>
      <ResultList
        sections={list.sections}
        emptyText={list.isEmpty ? summary : undefined}
        activeItem={activeItem}
        onHover={(item) => setActiveIndex(items.indexOf(item))}
        onChoose={choose}
      />
      <p class="hidden-text" role="status">
        {announcement}
      </p>
      <PaletteHints hasBack={command !== undefined} />
    </dialog>
  )
}

/** Names rarely change, and fetching thousands of monitors again would make the palette open slowly. */
const MAX_DATA_AGE_MS = 60_000

function usePaletteList(text: string, command: TargetCommand | undefined) {
  const queries = [
    useOverview({ staleTime: MAX_DATA_AGE_MS }),
    useStatusPages(true, { staleTime: MAX_DATA_AGE_MS }),
    useOpenIncidents({ staleTime: MAX_DATA_AGE_MS }),
  ] as const
  const [{ data }, { data: statusPages }, { data: incidents }] = queries
  const index = useMemo(() => {
    const { websites = [], monitors = [] } = data ?? {}
    return createPaletteIndex(
      listRecordItems({ websites, monitors, statusPages: statusPages ?? [], incidents: incidents ?? [] }),
    )
  }, [data, statusPages, incidents])
  const [recentIds] = useState(readRecentIds)
  const [path] = useState(() => location.pathname.slice(basePath.length) || '/')
  const list = useMemo((): PaletteList => {
    const query = { text, recentIds, path }
    if (command !== undefined) return searchTargets(index, command, query)
    return text.trim() === '' ? listSuggestions(index, query) : searchPalette(index, query)
  }, [index, text, command, recentIds, path])
  const isLoading = queries.some((query) => query.isLoading)
  return { list, isLoading, isFetching: queries.some(({ isFetching }) => isFetching) }
}

/** The page keys move by this many rows. */
const PAGE_ROWS = 5

/** Home and End move in the list only if the search text is empty. Otherwise they move the cursor in the text. */
function findNextIndex(event: KeyboardEvent, index: number, count: number): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || count === 0) return undefined
  const isTextEmpty = event.currentTarget instanceof HTMLInputElement && event.currentTarget.value === ''
  switch (event.key) {
    case 'ArrowDown':
      return (index + 1) % count
    case 'ArrowUp':
      return (Math.max(0, index) - 1 + count) % count
    case 'PageDown':
      return Math.min(count - 1, index + PAGE_ROWS)
    case 'PageUp':
      return Math.max(0, index - PAGE_ROWS)
    case 'Home':
      return isTextEmpty ? 0 : undefined
    case 'End':
      return isTextEmpty ? count - 1 : undefined
    default:
      return undefined
  }
}

/** Opens the page or runs the action that the user chose. */
function runEffect(effect: PaletteEffect, inNewTab: boolean): void {
  if (effect.kind === 'open') openPath(effect.path, inNewTab)
  else if (effect.kind === 'open-external') window.open(new URL(effect.url, document.baseURI), '_blank', 'noopener')
  else if (effect.kind === 'run') void Promise.try(effect.run).catch(showProblem)
}

function openPath(path: string, inNewTab: boolean): void {
  const href = `${basePath}${path}`
  if (inNewTab) {
    window.open(href, '_blank', 'noopener')
    return
  }
  // Click a link, because a form with unsaved changes intercepts only clicks on links.
  const link = document.createElement('a')
  link.href = href
  link.addEventListener('click', (event) => {
    event.preventDefault()
    // Without a focused element, the new page moves the focus to its heading.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    navigate(href)
  })
  document.body.append(link)
  link.click()
  link.remove()
}

const keyHints: readonly { keys: readonly (LucideIcon | string)[]; label: string }[] = [
  { keys: [ArrowUp, ArrowDown], label: 'Move' },
  { keys: [CornerDownLeft], label: 'Open' },
  { keys: [isApplePlatform ? '⌘' : 'Ctrl', CornerDownLeft], label: 'New tab' },
]
const backHint = { keys: ['Backspace'], label: 'Back' }
const closeHint = { keys: ['Esc'], label: 'Close' }

/** The keys of the palette, for sighted users. Screen readers announce the keys of a combobox themselves. */
function PaletteHints({ hasBack }: { hasBack: boolean }) {
  return (
    <div class="palette-hints" aria-hidden="true">
      {[...keyHints, hasBack ? backHint : closeHint].map(({ keys, label }) => (
        <span key={label}>
          {keys.map((key, index) => (
            <kbd key={index}>{typeof key === 'string' ? key : <Icon icon={key} size={11} />}</kbd>
          ))}
          {label}
        </span>
      ))}
    </div>
  )
}
