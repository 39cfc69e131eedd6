/**
 * The list's header row: a checkbox that selects all monitors, and column titles. If monitors are selected, actions
 * replace the titles.
 */
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { formatNumber } from '../../lib/format.ts'
import { can } from '../../lib/team.ts'
import { BulkMenu, type ListAction } from './bulk-menu.tsx'
import { formatMonitorCount } from './use-bulk-action.ts'

interface ListHeadProps {
  /** The number of uptime bars. */
  dayCount: number
  selectAllRef: RefObject<HTMLInputElement>
  shownCount: number
  selectedCount: number
  /** Set while an action runs. */
  progressText: string | undefined
  onSelectAll: (isSelected: boolean) => void
  onAction: (action: ListAction) => void
  onMaintenance: (minutes: number | undefined) => void
}

export function ListHead({
  dayCount,
  selectAllRef,
  shownCount,
  selectedCount,
  progressText,
  onSelectAll,
  onAction,
  onMaintenance,
}: ListHeadProps) {
  useLayoutEffect(() => {
    // HTML has no attribute for the indeterminate state of a checkbox, so set the property.
    if (selectAllRef.current !== null) {
      selectAllRef.current.indeterminate = selectedCount > 0 && selectedCount < shownCount
    }
  }, [selectAllRef, selectedCount, shownCount])
  return (
    <div class="monitors-head">
      {can('edit') && (
        <input
          ref={selectAllRef}
          type="checkbox"
          aria-label={`Select all ${formatMonitorCount(shownCount)}`}
          checked={selectedCount > 0 && selectedCount === shownCount}
          onClick={(event) => onSelectAll(event.currentTarget.checked)}
        />
      )}
      {selectedCount === 0 ? (
        <ColumnTitles shownCount={shownCount} dayCount={dayCount} />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
        <div class="monitors-actions" role="group" aria-label="Selected monitors">
          <span class="numbers">
            {formatNumber(selectedCount)} <span class="monitors-actions-label">selected</span>
          </span>
          <BulkMenu isBusy={progressText !== undefined} onAction={onAction} onMaintenance={onMaintenance} />
          <span class="small" role="status">
            {progressText}
          </span>
        </div>
      )}
    </div>
  )
}

function ColumnTitles({ shownCount, dayCount }: { shownCount: number; dayCount: number }) {
  return (
    <>
      <span class="monitors-count">{formatMonitorCount(shownCount)}</span>
      <ColumnTitle name="trend" text="Last 24 hours" />
      <ColumnTitle name="response" text="Response" />
      <ColumnTitle name="bars" text={`Last ${dayCount} days`} />
      <ColumnTitle name="uptime" text="Uptime" />
      <ColumnTitle name="checked" text="Last check" />
    </>
  )
}

/** The title is hidden from screen readers, because every row labels its own figures. */
function ColumnTitle({ name, text }: { name: string; text: string }) {
  return (
    <span class={`monitors-${name}`} aria-hidden="true">
      {text}
    </span>
  )
}
