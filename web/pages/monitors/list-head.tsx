/** Above the rows: the box for all of them, and what can be done with those that are chosen. As tall with as without. */
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import type { BulkAction } from '../../../src/monitors/schema.ts'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../lib/format.ts'
import { countMonitors } from './use-bulk-action.ts'

interface ListHeadProps {
  box: RefObject<HTMLInputElement>
  shown: number
  chosen: number
  /** While something is being done to them. */
  progress: string | undefined
  onAll: (isChosen: boolean) => void
  onAction: (action: BulkAction) => void
}

export function ListHead({ box, shown, chosen, progress, onAll, onAction }: ListHeadProps) {
  useLayoutEffect(() => {
    // There is no attribute for it.
    if (box.current !== null) box.current.indeterminate = chosen > 0 && chosen < shown
  }, [box, chosen, shown])
  const isBusy = progress !== undefined
  return (
    <div class="monitors-head">
      <input
        ref={box}
        type="checkbox"
        aria-label={`Select all ${countMonitors(shown)}`}
        checked={chosen > 0 && chosen === shown}
        onClick={(event) => onAll(event.currentTarget.checked)}
      />
      {chosen === 0 ? (
        <Columns shown={shown} />
      ) : (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what is sent with a form
        <div class="monitors-actions" role="group" aria-label="Selected monitors">
          <span class="numbers">
            {formatNumber(chosen)} <span class="monitors-actions-word">selected</span>
          </span>
          <Button small busy={isBusy} onClick={() => onAction('pause')}>
            Pause
          </Button>
          <Button small busy={isBusy} onClick={() => onAction('resume')}>
            Resume
          </Button>
          <Button small kind="danger" busy={isBusy} onClick={() => onAction('delete')}>
            Delete
          </Button>
          <span class="small" role="status">
            {progress}
          </span>
        </div>
      )}
    </div>
  )
}

function Columns({ shown }: { shown: number }) {
  return (
    <>
      <span class="monitors-count">{countMonitors(shown)}</span>
      <Column name="bars" text="Last 90 days" />
      <Column name="uptime" text="Uptime" />
      <Column name="response" text="Response" />
      <Column name="checked" text="Checked" />
    </>
  )
}

/** For the eye: every row says for itself what its figures are. */
function Column({ name, text }: { name: string; text: string }) {
  return (
    <span class={`monitors-${name}`} aria-hidden="true">
      {text}
    </span>
  )
}
