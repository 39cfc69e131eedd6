/** The list's header row: a checkbox for all monitors, and column titles or actions on the selected ones. */
import { Pause, Play, Trash2 } from 'lucide-preact'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { formatNumber } from '../../lib/format.ts'
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
  onAction: (action: BulkAction) => void
}

export function ListHead({
  dayCount,
  selectAllRef,
  shownCount,
  selectedCount,
  progressText,
  onSelectAll,
  onAction,
}: ListHeadProps) {
  useLayoutEffect(() => {
    // HTML has no attribute for the indeterminate state.
    if (selectAllRef.current !== null) {
      selectAllRef.current.indeterminate = selectedCount > 0 && selectedCount < shownCount
    }
  }, [selectAllRef, selectedCount, shownCount])
  const isBusy = progressText !== undefined
  return (
    <div class="monitors-head">
      <input
        ref={selectAllRef}
        type="checkbox"
        aria-label={`Select all ${formatMonitorCount(shownCount)}`}
        checked={selectedCount > 0 && selectedCount === shownCount}
        onClick={(event) => onSelectAll(event.currentTarget.checked)}
      />
      {selectedCount === 0 ? (
        <ColumnTitles shownCount={shownCount} dayCount={dayCount} />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
        <div class="monitors-actions" role="group" aria-label="Selected monitors">
          <span class="numbers">
            {formatNumber(selectedCount)} <span class="monitors-actions-label">selected</span>
          </span>
          <Button small busy={isBusy} onClick={() => onAction('pause')}>
            <Icon icon={Pause} size={14} />
            Pause
          </Button>
          <Button small busy={isBusy} onClick={() => onAction('resume')}>
            <Icon icon={Play} size={14} />
            Resume
          </Button>
          <Button small kind="danger" busy={isBusy} onClick={() => onAction('delete')}>
            <Icon icon={Trash2} size={14} />
            Delete
          </Button>
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

/** Hidden from screen readers, because every row labels its own figures. */
function ColumnTitle({ name, text }: { name: string; text: string }) {
  return (
    <span class={`monitors-${name}`} aria-hidden="true">
      {text}
    </span>
  )
}
