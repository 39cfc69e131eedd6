/** When a failure counts, and how often it is said again. */
import { TextField } from '../../components/field.tsx'
import { formatNumber } from '../../lib/format.ts'
import { ChoiceOrNumber } from './preset-or-custom.tsx'
import type { PartProps } from './fields.ts'

const reminders = [
  { value: '0', label: 'Never' },
  { value: '15', label: 'Every 15 minutes' },
  { value: '60', label: 'Every hour' },
  { value: '360', label: 'Every 6 hours' },
  { value: '1440', label: 'Every day' },
]

export function TimingSettings({ form, errorsOf }: PartProps) {
  const { values, set } = form
  const field = (name: 'timeout' | 'retries' | 'retry_interval') => ({
    value: values[name],
    onValue: (value: string) => set(name, value),
    errors: errorsOf(name),
    inputMode: 'numeric' as const,
    autocomplete: 'off',
  })
  return (
    <>
      <h3>Failures</h3>
      <div class="form-pair">
        <TextField
          {...field('timeout')}
          label="Timeout in seconds"
          hint="1 to 60. Empty: 10, or the interval where that is shorter."
          placeholder="10"
        />
        <TextField
          {...field('retries')}
          label="Further checks before it is down"
          hint="0 to 10. More of them mean fewer false alarms, and later ones."
        />
        <TextField
          {...field('retry_interval')}
          label="Seconds between those checks"
          hint={`1 to ${formatNumber(3_600)}.`}
        />
        <ChoiceOrNumber
          label="Remind while it is down"
          otherLabel="Minutes between reminders"
          hint="After the first message, until it is up again."
          errors={errorsOf('remind_every')}
          choices={reminders}
          value={values.remind_every}
          onValue={(minutes) => set('remind_every', minutes)}
        />
      </div>
    </>
  )
}
