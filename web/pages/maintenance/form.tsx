import { Wrench } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { MAX_MAINTENANCE_NOTE_LENGTH, MAX_MAINTENANCE_TITLE_LENGTH } from '../../../src/shared/maintenances.ts'
import { Button } from '../../components/button.tsx'
import { TextAreaField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api } from '../../lib/api.ts'
import { goBack, goBackPast } from '../../lib/go-back.ts'
import { type Maintenance, refetchMaintenances } from '../../lib/maintenances.ts'
import { throwFieldErrors } from '../../lib/throw-field-errors.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { TargetFields } from './target-fields.tsx'
import { TimingFields } from './timing-fields.tsx'
import { diffMaintenance, findMaintenanceErrors, type MaintenanceFormValues, toMaintenanceInput } from './values.ts'

/** API names of the fields that show their own errors. */
const ownErrorFields = [
  'title',
  'note',
  'starts_at',
  'ends_at',
  'duration_seconds',
  'recurrence',
  'weekdays',
  'time',
  'tags',
  'monitor_ids',
]

interface MaintenanceFormProps {
  /** Undefined for a new maintenance. */
  maintenance?: Maintenance
  initial: MaintenanceFormValues
}

export function MaintenanceForm({ maintenance, initial: initialProp }: MaintenanceFormProps) {
  // Keep the first value, so that a background refetch doesn't change what the user is editing.
  const [initial] = useState(initialProp)
  const [, navigate] = useLocation()
  const isNew = maintenance === undefined
  const form = useForm(initial, async (values) => {
    throwFieldErrors(findMaintenanceErrors(values))
    const input = toMaintenanceInput(values)
    if (isNew) await api.post('api/maintenances', input)
    else await api.put(`api/maintenances/${maintenance.id}`, diffMaintenance(toMaintenanceInput(initial), input))
    showToast(!isNew ? 'Changes saved.' : values.timing === 'now' ? 'Maintenance started.' : 'Maintenance planned.')
    await refetchMaintenances()
    const showList = () => navigate('/maintenance', { replace: true })
    if (isNew) showList()
    else await goBackPast(`/maintenance/${maintenance.id}`, showList)
  })
  const { values, set, errorsFor } = form
  const guard = useUnsavedGuard(JSON.stringify(values) !== JSON.stringify(initial))
  const sectionProps = { form, state: maintenance?.state }
  return (
    <>
      <form class="sections maintenance-form" onSubmit={form.submit} noValidate>
        <Section
          title="Details"
          icon={Wrench}
          description="Checks continue, but nobody is notified, and the time doesn't count as downtime."
        >
          <div class="form">
            <TextField
              label="Title"
              placeholder="Database upgrade"
              maxLength={MAX_MAINTENANCE_TITLE_LENGTH}
              autocomplete="off"
              required
              value={values.title}
              errors={errorsFor('title')}
              onValue={(title) => set('title', title)}
            />
            <TextAreaField
              label="Note"
              hint="Optional. Shown in the list of maintenances."
              maxLength={MAX_MAINTENANCE_NOTE_LENGTH}
              rows={2}
              value={values.note}
              errors={errorsFor('note')}
              onValue={(note) => set('note', note)}
            />
          </div>
        </Section>
        <TimingFields {...sectionProps} />
        <TargetFields {...sectionProps} />
        <div class="form-bar">
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={ownErrorFields} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              {!isNew ? 'Save changes' : values.timing === 'now' ? 'Start maintenance' : 'Plan maintenance'}
            </Button>
            <Button kind="quiet" onClick={() => guard.leave(() => goBack(() => navigate('/maintenance')))}>
              Cancel
            </Button>
          </div>
        </div>
      </form>
      {guard.dialog}
    </>
  )
}
