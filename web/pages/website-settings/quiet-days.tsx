/** Days on which few visits are expected: public holidays of a country, and single dates. */
import { Plus, X } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { holidayCountries } from '../../../src/shared/holiday-countries.ts'
import { MAX_QUIET_DAYS } from '../../../src/shared/websites.ts'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { formatCountry, formatDays } from '../../lib/format.ts'
import { isCalendarDay } from '../website/calendar.ts'
import { listRangeDays, mergeDays, removeRange, toDayRanges } from './quiet-day-ranges.ts'
import './quiet-days.css'

interface QuietDaysProps {
  days: readonly string[]
  holidays: string | null
  dayErrors: readonly string[]
  holidayErrors: readonly string[]
  onDays: (days: string[]) => void
  onHolidays: (country: string | null) => void
}

export function QuietDays({ days, holidays, dayErrors, holidayErrors, onDays, onHolidays }: QuietDaysProps) {
  return (
    <>
      <SelectField
        label="Public holidays"
        hint="On the nationwide holidays of this country, Belfry sends no traffic alerts and estimates no missed visits."
        value={holidays ?? ''}
        errors={holidayErrors}
        choices={listCountries()}
        onValue={(value) => onHolidays(value === '' ? null : value)}
      />
      <DayList days={days} errors={dayErrors} onDays={onDays} />
    </>
  )
}

function listCountries() {
  const countries = holidayCountries.map((code) => ({ value: code, label: formatCountry(code) }))
  return [{ value: '', label: 'None' }, ...countries.sort((one, other) => one.label.localeCompare(other.label))]
}

function DayList({
  days,
  errors,
  onDays,
}: {
  days: readonly string[]
  errors: readonly string[]
  onDays: (days: string[]) => void
}) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [problem, setProblem] = useState<string>()
  const ranges = toDayRanges(days)

  function add() {
    if (from === '') return setProblem('Enter the first day.')
    const range = { from, to: to || from }
    // Browsers let people type years of up to six digits.
    if (![range.from, range.to].every(isCalendarDay)) return setProblem('Enter a year from 1970 to 9999.')
    const addedDays = listRangeDays(range, MAX_QUIET_DAYS + 1)
    const newDays = mergeDays(days, addedDays)
    if (addedDays.length === 0) return setProblem('The last day must not be before the first day.')
    if (newDays.length > MAX_QUIET_DAYS) return setProblem(`At most ${MAX_QUIET_DAYS} days. Remove past ones first.`)
    setProblem(undefined)
    setFrom('')
    setTo('')
    onDays(newDays)
  }

  return (
    <FieldGroup legend="Other quiet days" errors={problem === undefined ? errors : [problem]}>
      {ranges.length > 0 && (
        <ul class="quiet-days">
          {ranges.map((range) => (
            <li key={range.from}>
              <span>{formatDays(range)}</span>
              <Button
                kind="quiet"
                small
                icon={X}
                aria-label={`Remove ${formatDays(range)}`}
                onClick={() => onDays(removeRange(days, range))}
              />
            </li>
          ))}
        </ul>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles Enter in the fields inside */}
      <div
        class="quiet-days-new"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
          // Enter would otherwise save all settings.
          event.preventDefault()
          add()
        }}
      >
        <label>
          <span class="small muted">First day</span>
          <input class="input" type="date" value={from} onInput={({ currentTarget }) => setFrom(currentTarget.value)} />
        </label>
        <label>
          <span class="small muted">Last day (optional)</span>
          <input
            class="input"
            type="date"
            min={from || undefined}
            value={to}
            onInput={({ currentTarget }) => setTo(currentTarget.value)}
          />
        </label>
        <Button icon={Plus} onClick={add}>
          Add
        </Button>
      </div>
      <div class="field-hint">Days on which you expect few visits, such as company holidays or school holidays.</div>
    </FieldGroup>
  )
}
