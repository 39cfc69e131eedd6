/** The fields for when a maintenance takes place. */
import { CalendarClock } from 'lucide-preact'
import { TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { Section } from '../../components/section.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { browserTimeZone } from '../../lib/format.ts'
import { DurationField, type MaintenanceSectionProps } from './duration-field.tsx'
import { RecurrenceFields } from './recurrence-fields.tsx'

const timings = [
  { value: 'now', label: 'Now' },
  { value: 'once', label: 'Planned' },
  { value: 'recurring', label: 'Recurring' },
] as const

const endChoices = [
  { value: 'duration', label: 'After a duration' },
  { value: 'time', label: 'At a time' },
] as const

export function TimingFields({ form, state }: MaintenanceSectionProps) {
  const { values, set } = form
  return (
    <Section
      title="When"
      icon={CalendarClock}
      description="If a monitor is still down at the end, its channels are notified then."
    >
      <div class="form">
        <FieldGroup legend="Start">
          <div>
            <SegmentedControl
              label="Start"
              choices={state === undefined ? timings : timings.slice(1)}
              value={values.timing}
              onValue={(timing) => set('timing', timing)}
            />
          </div>
        </FieldGroup>
        {values.timing === 'recurring' ? <RecurrenceFields form={form} /> : <SingleWindow form={form} state={state} />}
      </div>
    </Section>
  )
}

function SingleWindow({ form: { values, set, errorsFor }, state }: MaintenanceSectionProps) {
  return (
    <>
      {values.timing === 'once' && (
        <TextField
          label="Starts"
          type="datetime-local"
          hint={
            state === 'active'
              ? "Can't be changed while the maintenance is in progress."
              : `Your time zone: ${browserTimeZone}`
          }
          disabled={state === 'active'}
          value={values.starts}
          errors={errorsFor('starts_at')}
          onValue={(starts) => set('starts', starts)}
        />
      )}
      <FieldGroup legend="End">
        <div>
          <SegmentedControl
            label="End"
            choices={endChoices}
            value={values.endBy}
            onValue={(endBy) => set('endBy', endBy)}
          />
        </div>
      </FieldGroup>
      {values.endBy === 'time' ? (
        <TextField
          label="Ends"
          type="datetime-local"
          hint={`Your time zone: ${browserTimeZone}`}
          value={values.ends}
          errors={errorsFor('ends_at')}
          onValue={(ends) => set('ends', ends)}
        />
      ) : (
        <DurationField form={{ values, set }} errors={errorsFor('duration_seconds') ?? errorsFor('ends_at') ?? []} />
      )}
    </>
  )
}
