/** The fields for when a recurring maintenance begins, and how long it lasts. */
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { TimeZoneField } from '../../components/time-zone-field.tsx'
import type { Form } from '../../lib/use-form.ts'
import { DurationField } from './duration-field.tsx'
import { weekdays } from './schedule.ts'
import type { MaintenanceFormValues } from './values.ts'

const repeatChoices = [
  { value: 'weekly', label: 'Weekly' },
  { value: 'cron', label: 'Cron expression' },
] as const

export function RecurrenceFields({ form }: { form: Form<MaintenanceFormValues> }) {
  const { values, set, errorsFor } = form
  const cronErrors = errorsFor('recurrence.cron')
  return (
    <>
      <FieldGroup legend="Repeat">
        <div>
          <SegmentedControl
            label="Repeat"
            choices={repeatChoices}
            value={values.repeat}
            onValue={(repeat) => set('repeat', repeat)}
          />
        </div>
      </FieldGroup>
      {values.repeat === 'weekly' ? (
        <>
          <FieldGroup legend="Days" errors={errorsFor('weekdays') ?? cronErrors}>
            <div class="maintenance-weekdays">
              {weekdays.map(({ day, name, shortName }) => (
                <label key={day}>
                  <input
                    type="checkbox"
                    aria-label={name}
                    checked={values.weekdays.includes(day)}
                    onChange={({ currentTarget }) =>
                      set(
                        'weekdays',
                        currentTarget.checked
                          ? [...values.weekdays, day]
                          : values.weekdays.filter((each) => each !== day),
                      )
                    }
                  />
                  <span aria-hidden="true">{shortName}</span>
                </label>
              ))}
            </div>
          </FieldGroup>
          <div class="form-pair">
            <TextField
              label="Time"
              type="time"
              required
              value={values.time}
              errors={errorsFor('time')}
              onValue={(time) => set('time', time)}
            />
            <RecurrenceDuration form={form} />
          </div>
        </>
      ) : (
        <div class="form-pair">
          <TextField
            label="Cron expression"
            hint="Minute, hour, day of month, month, day of week"
            autocomplete="off"
            spellcheck={false}
            value={values.cron}
            errors={cronErrors}
            onValue={(cron) => set('cron', cron)}
          />
          <RecurrenceDuration form={form} />
        </div>
      )}
      <div class="form-pair">
        <TimeZoneField
          label="Time zone"
          value={values.time_zone}
          errors={errorsFor('recurrence.time_zone')}
          onValue={(zone) => set('time_zone', zone)}
        />
        <TextField
          label="Last day"
          hint="Optional"
          type="date"
          value={values.until}
          errors={errorsFor('recurrence.until')}
          onValue={(until) => set('until', until)}
        />
      </div>
    </>
  )
}

const RecurrenceDuration = ({ form }: { form: Form<MaintenanceFormValues> }) => (
  <DurationField form={form} errors={form.errorsFor('recurrence.duration_seconds') ?? []} />
)
