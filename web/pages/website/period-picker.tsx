import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { isPeriodName, periodLabels, toDayRange } from './period.ts'
import type { ChangeView, WebsiteView } from './view.ts'

const CUSTOM = 'custom'

interface PeriodPickerProps {
  view: WebsiteView
  today: string
  changeView: ChangeView
}

export function PeriodPicker({ view, today, changeView }: PeriodPickerProps) {
  const [isEditing, setEditing] = useState(false)
  const isCustom = isEditing || view.period === undefined
  return (
    <>
      <select
        class="input website-period"
        aria-label="Period"
        value={isCustom ? CUSTOM : view.period}
        onChange={({ currentTarget: { value } }) => {
          setEditing(value === CUSTOM)
          if (isPeriodName(value)) changeView({ period: value })
        }}
      >
        {Object.entries(periodLabels).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        <option value={CUSTOM}>Custom range</option>
      </select>
      {isCustom && (
        <CustomRangeForm
          key={`${view.from} ${view.to}`}
          view={view}
          today={today}
          onApply={(range) => {
            setEditing(false)
            changeView({ period: undefined, ...range })
          }}
        />
      )}
    </>
  )
}

interface CustomRangeFormProps {
  view: WebsiteView
  today: string
  onApply: (range: { from: string; to: string }) => void
}

function CustomRangeForm({ view, today, onApply }: CustomRangeFormProps) {
  const [from, setFrom] = useState(view.from)
  const [to, setTo] = useState(view.to)
  const [isInvalid, setInvalid] = useState(false)
  return (
    <form
      class="website-range-form"
      onSubmit={(event) => {
        event.preventDefault()
        const range = toDayRange(from, to, today)
        setInvalid(range === undefined)
        if (range !== undefined) onApply(range)
      }}
    >
      <input
        class="input"
        type="date"
        aria-label="From"
        required
        max={today}
        value={from}
        onInput={({ currentTarget }) => setFrom(currentTarget.value)}
      />
      <span aria-hidden="true">–</span>
      <input
        class="input"
        type="date"
        aria-label="To"
        required
        max={today}
        value={to}
        onInput={({ currentTarget }) => setTo(currentTarget.value)}
      />
      <Button type="submit">Apply</Button>
      <span class="field-error" role="alert">
        {isInvalid && "Choose a range of at most 10 years that doesn't start in the future."}
      </span>
    </form>
  )
}
