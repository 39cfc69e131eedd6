/** The fields for when a failure opens an incident, and how often reminders repeat. */
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
import { isProbed } from '../../lib/monitor-types.ts'
import type { MonitorSectionProps } from './fields.ts'
import { PresetOrCustom } from './preset-or-custom.tsx'

const reminderPresets = [
  { value: '0', label: 'Never' },
  { value: '15', label: 'Every 15 minutes' },
  { value: '60', label: 'Every hour' },
  { value: '360', label: 'Every 6 hours' },
  { value: '1440', label: 'Every day' },
]

export function TimingFields({ form, errorsFor }: MonitorSectionProps) {
  const { values, set } = form
  const getNumberFieldProps = (name: 'timeout' | 'retries' | 'retry_interval') => ({
    value: values[name],
    onValue: (value: string) => set(name, value),
    errors: errorsFor(name),
    inputMode: 'numeric' as const,
    autocomplete: 'off',
  })
  const hasChecks = isProbed(values.type)
  return (
    <>
      {hasChecks && <h3>Failures and reminders</h3>}
      <div class="form-pair">
        {hasChecks && (
          <>
            <TextField
              {...getNumberFieldProps('timeout')}
              label="Timeout in seconds"
              hint={`${MIN_TIMEOUT_SECONDS} to ${MAX_TIMEOUT_SECONDS}. If empty: ${DEFAULT_TIMEOUT_SECONDS} seconds, or the check interval if that's shorter.`}
              placeholder={`${DEFAULT_TIMEOUT_SECONDS}`}
            />
            <TextField
              {...getNumberFieldProps('retries')}
              label="Retries before an incident opens"
              hint={`0 to ${MAX_RETRIES}. More retries mean fewer false alarms but later alerts.`}
            />
            <TextField
              {...getNumberFieldProps('retry_interval')}
              label="Seconds between retries"
              hint={`${MIN_RETRY_INTERVAL_SECONDS} to ${formatNumber(MAX_RETRY_INTERVAL_SECONDS)}`}
            />
          </>
        )}
        <PresetOrCustom
          label="Reminders"
          customLabel="Minutes between reminders"
          hint="Repeats the alert until the monitor recovers."
          errors={errorsFor('remind_every')}
          presets={reminderPresets}
          value={values.remind_every}
          onValue={(minutes) => set('remind_every', minutes)}
        />
      </div>
    </>
  )
}
