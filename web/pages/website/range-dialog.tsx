/** The dialog that asks for a custom range of days. */
import { useState } from 'preact/hooks'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import type { DayRange } from './calendar.ts'
import { toDayRange } from './period.ts'
import './range-dialog.css'

interface RangeDialogProps {
  range: DayRange
  today: string
  /** The first day with traffic. */
  firstDay: string | undefined
  onApply: (range: DayRange) => void
  onClose: () => void
}

export function RangeDialog({ range, today, firstDay, onApply, onClose }: RangeDialogProps) {
  const [from, setFrom] = useState(range.from)
  const [to, setTo] = useState(range.to)
  const [isInvalid, setInvalid] = useState(false)
  return (
    <Dialog title="Custom range" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          const days = toDayRange(from, to, today)
          setInvalid(days === undefined)
          if (days !== undefined) onApply(days)
        }}
      >
        <div class="website-range-fields">
          <DayField label="From" value={from} min={firstDay} max={today} onValue={setFrom} hasFocus />
          <DayField label="To" value={to} min={firstDay} max={today} onValue={setTo} />
        </div>
        <p class="field-error" role="alert" hidden={!isInvalid}>
          {isInvalid && "Choose a range of at most 10 years that doesn't start in the future."}
        </p>
        <DialogActions action="Apply" onCancel={onClose} />
      </form>
    </Dialog>
  )
}

interface DayFieldProps {
  label: string
  value: string
  min: string | undefined
  max: string
  onValue: (day: string) => void
  hasFocus?: boolean
}

function DayField({ label, value, min, max, onValue, hasFocus = false }: DayFieldProps) {
  return (
    <label class="field">
      <span class="website-range-label">{label}</span>
      <input
        class="input"
        type="date"
        required
        autofocus={hasFocus}
        // Days before the first traffic stay allowed if they were chosen before, for example through the URL.
        min={min !== undefined && value >= min ? min : undefined}
        max={max}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
      />
    </label>
  )
}
