import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { chooseDays, isPeriod, periods } from './period.ts'
import type { ChangeView, View } from './view.ts'

const CUSTOM = 'custom'

interface PeriodPickerProps {
  view: View
  today: string
  change: ChangeView
}

export function PeriodPicker({ view, today, change }: PeriodPickerProps) {
  const [isChoosing, setChoosing] = useState(false)
  const isCustom = isChoosing || view.period === undefined
  return (
    <>
      <select
        class="input website-period"
        aria-label="Period"
        value={isCustom ? CUSTOM : view.period}
        onChange={({ currentTarget: { value } }) => {
          setChoosing(value === CUSTOM)
          if (isPeriod(value)) change({ period: value })
        }}
      >
        {Object.entries(periods).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        <option value={CUSTOM}>From … to …</option>
      </select>
      {isCustom && (
        <DayForm
          key={`${view.from} ${view.to}`}
          view={view}
          today={today}
          onChosen={(range) => {
            setChoosing(false)
            change({ period: undefined, ...range })
          }}
        />
      )}
    </>
  )
}

interface DayFormProps {
  view: View
  today: string
  onChosen: (range: { from: string; to: string }) => void
}

function DayForm({ view, today, onChosen }: DayFormProps) {
  const [from, setFrom] = useState(view.from)
  const [to, setTo] = useState(view.to)
  const [isWrong, setWrong] = useState(false)
  return (
    <form
      class="website-days"
      onSubmit={(event) => {
        event.preventDefault()
        const range = chooseDays(from, to, today)
        setWrong(range === undefined)
        if (range !== undefined) onChosen(range)
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
      <Button type="submit">Show</Button>
      <span class="field-error" role="alert">
        {isWrong && 'At most ten years, up to today.'}
      </span>
    </form>
  )
}
