import { ChevronRight } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { advancedFields, type MonitorSectionProps } from './fields.ts'
import { HttpFields } from './http-fields.tsx'
import { TimingFields } from './timing-fields.tsx'
import { createMonitorFormValues, type MonitorFormValues } from './values.ts'

/** Collapsed unless a setting differs from its default or has an error. */
export function AdvancedSettings(props: MonitorSectionProps) {
  const { form, errorsFor } = props
  const [isOpen, setOpen] = useState(() => hasAdvancedSettings(form.values))
  const hasErrors = advancedFields.some((field) => errorsFor(field).length > 0)
  return (
    <details
      class="panel monitor-form-advanced"
      open={isOpen || hasErrors}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon icon={ChevronRight} />
        <h2>Advanced settings</h2>
        <span class="muted small">
          {form.values.type === 'http'
            ? 'Headers, expected response, timeout, retries, reminders'
            : 'Timeout, retries, reminders'}
        </span>
      </summary>
      <div class="form">
        {form.values.type === 'http' && <HttpFields {...props} />}
        <TimingFields {...props} />
      </div>
    </details>
  )
}

function hasAdvancedSettings(values: MonitorFormValues): boolean {
  const { url, type, friendly_name, interval, is_active } = values
  const defaults = { ...createMonitorFormValues(url), type, friendly_name, interval, is_active }
  return JSON.stringify(values) !== JSON.stringify(defaults)
}
