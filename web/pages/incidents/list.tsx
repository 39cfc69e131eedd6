import { useRef } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type AccountIncident, acknowledgeIncident } from '../../lib/incidents.ts'
import { areShortcutsEnabled, findNextRowIndex, hasModifier } from '../../lib/shortcuts.ts'
import { showProblem } from '../../lib/toasts.ts'
import type { IncidentListQuery } from './queries.ts'
import { IncidentRow } from './row.tsx'

interface IncidentListProps {
  incidents: readonly AccountIncident[]
  total: number
  query: IncidentListQuery
  onTag: (tag: string) => void
}

export function IncidentList({ incidents, total, query, onTag }: IncidentListProps) {
  const list = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isPlaceholderData } = query
  const openCount = incidents.filter(({ status }) => status === 'open').length
  const focusRow = (index: number) =>
    list.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-focus]`)?.focus()

  async function acknowledge(index: number) {
    const incident = incidents[index]
    if (incident === undefined || incident.status !== 'open' || incident.acknowledged_at !== null) return
    const hadFocus = list.current?.querySelector(`[data-index="${index}"]`)?.contains(document.activeElement)
    await acknowledgeIncident(incident).catch(showProblem)
    // The button that had the focus disappears with the next render.
    if (hadFocus) focusRow(index)
  }
  function onKeyDown(event: KeyboardEvent) {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-index]') : null
    if (row === null || hasModifier(event)) return
    const index = Number(row.dataset['index'])
    const next = findNextRowIndex(event.key, index, incidents.length)
    if (next !== undefined) focusRow(next)
    else if (event.key === 'a' && areShortcutsEnabled()) void acknowledge(index)
    else return
    event.preventDefault()
  }
  const renderRows = (from: number, to: number) =>
    incidents
      .slice(from, to)
      .map((incident, offset) => (
        <IncidentRow
          key={incident.id}
          incident={incident}
          index={from + offset}
          onAcknowledge={() => acknowledge(from + offset)}
          onTag={onTag}
        />
      ))

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the links inside */}
      <div ref={list} class="incidents-list" aria-busy={isPlaceholderData} onKeyDown={onKeyDown}>
        <ListHead />
        {openCount > 0 && <ul aria-label="Ongoing incidents">{renderRows(0, openCount)}</ul>}
        {openCount < incidents.length && (
          <ul aria-label="Resolved incidents">{renderRows(openCount, incidents.length)}</ul>
        )}
      </div>
      {hasNextPage && (
        <div class="incidents-more">
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
          <span class="small muted numbers">
            {formatNumber(incidents.length)} of {formatNumber(total)}
          </span>
        </div>
      )}
    </>
  )
}

const headings = [
  ['what', 'Incident'],
  ['website', 'Website'],
  ['missed', 'Visits missed'],
  ['notified', 'Notified'],
  ['started', 'Started'],
  ['duration', 'Duration'],
  ['state', 'State'],
] as const

/** Screen readers skip the headings, because each row names its own figures. */
function ListHead() {
  return (
    <div class="incidents-head" aria-hidden="true">
      {headings.map(([column, heading]) => (
        <span key={column} class={`incidents-${column}`}>
          {heading}
        </span>
      ))}
    </div>
  )
}
