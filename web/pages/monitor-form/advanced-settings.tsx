import { useState } from 'preact/hooks'
import { moreFields, type PartProps } from './fields.ts'
import { HttpSettings } from './http-settings.tsx'
import { TimingSettings } from './timing-settings.tsx'
import { newValues, type Values } from './values.ts'

/** Opens by itself where something in it was set or is wrong. */
export function MoreSettings({ form, errorsOf }: PartProps) {
  const [isOpen, setOpen] = useState(() => isUnusual(form.values))
  const isWrong = moreFields.some((field) => errorsOf(field).length > 0)
  return (
    <details
      class="panel monitor-form-more"
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <h2>More settings</h2>
        <span class="muted small">
          {form.values.type === 'http' ? 'Headers, expected status and text, ' : ''}timeout, confirmation, reminders
        </span>
      </summary>
      <div class="form">
        {form.values.type === 'http' && <HttpSettings form={form} errorsOf={errorsOf} />}
        <TimingSettings form={form} errorsOf={errorsOf} />
      </div>
    </details>
  )
}

function isUnusual(values: Values): boolean {
  const { url, type, friendly_name, interval, is_active } = values
  return JSON.stringify(values) !== JSON.stringify({ ...newValues(url), type, friendly_name, interval, is_active })
}
