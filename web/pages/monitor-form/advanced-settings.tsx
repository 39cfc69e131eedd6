import { ChevronRight } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../components/icon.tsx'
import { isProbed } from '../../lib/monitor-types.ts'
import { DependencyField } from './dependency-field.tsx'
import { advancedFields, type MonitorSectionProps } from './fields.ts'
import { HttpFields } from './http-fields.tsx'
import { TimingFields } from './timing-fields.tsx'
import { createMonitorFormValues, type MonitorFormValues } from './values.ts'

const advancedHints: Partial<Record<MonitorFormValues['type'], string>> = {
  http: 'Headers, expected response, JSON, timeout, retries, reminders, dependency',
  heartbeat: 'Reminders, dependency',
  traffic: 'Reminders, dependency',
}

/** The section is collapsed unless a setting differs from its default or has an error. */
export function AdvancedSettings(props: MonitorSectionProps & { monitorId: number | undefined }) {
  const { form, errorsIn } = props
  const { type } = form.values
  const [isOpen, setOpen] = useState(() => hasAdvancedSettings(form.values))
  const hasErrors = advancedFields.some((field) => errorsIn(field).length > 0)
  return (
    <details
      class="panel monitor-form-advanced"
      open={isOpen || hasErrors}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon icon={ChevronRight} />
        <h2>Advanced settings</h2>
        <span class="muted small">{advancedHints[type] ?? 'Timeout, retries, reminders, dependency'}</span>
      </summary>
      <div class="form">
        {type === 'http' && <HttpFields {...props} />}
        <TimingFields {...props} />
        <DependencyField {...props} />
      </div>
    </details>
  )
}

/** Heartbeats and traffic monitors have only these advanced settings. */
const commonAdvancedValues = ['remind_every', 'depends_on'] as const
const advancedValues: readonly (keyof MonitorFormValues)[] = [
  ...commonAdvancedValues,
  'timeout',
  'retries',
  'retry_interval',
  'method',
  'headers',
  'body',
  'expected_status',
  'textRule',
  'json',
  'max_response_ms',
  'follow_redirects',
  'verify_tls',
]

function hasAdvancedSettings(values: MonitorFormValues): boolean {
  const defaults = createMonitorFormValues(values.url, values.type)
  const names = isProbed(values.type) ? advancedValues : commonAdvancedValues
  return names.some((name) => JSON.stringify(values[name]) !== JSON.stringify(defaults[name]))
}
