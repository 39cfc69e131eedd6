/** When a failure counts, and how often it is said again. */

import {
  DEFAULT_TIMEOUT_SECONDS,
  MAX_RETRIES,
  MAX_RETRY_INTERVAL_SECONDS,
  MAX_TIMEOUT_SECONDS,
  MIN_RETRY_INTERVAL_SECONDS,
  MIN_TIMEOUT_SECONDS,
} from '../../../src/shared/monitors.ts'
import { TextField } from '../../components/field.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { PartProps } from './fields.ts'
import { ChoiceOrNumber } from './preset-or-custom.tsx'

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
          hint={`${MIN_TIMEOUT_SECONDS} to ${MAX_TIMEOUT_SECONDS}. If empty: ${DEFAULT_TIMEOUT_SECONDS}, or the interval if that is shorter.`}
          placeholder={`${DEFAULT_TIMEOUT_SECONDS}`}
        />
        <TextField
          {...field('retries')}
          label="Further checks before it is down"
          hint={`0 to ${MAX_RETRIES}. More retries mean fewer false alarms, but later alerts.`}
        />
        <TextField
          {...field('retry_interval')}
          label="Seconds between those checks"
          hint={`${MIN_RETRY_INTERVAL_SECONDS} to ${formatNumber(MAX_RETRY_INTERVAL_SECONDS)}.`}
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
