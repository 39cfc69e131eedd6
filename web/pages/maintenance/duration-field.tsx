import { maintenancePresets } from '../../components/start-maintenance.tsx'
import type { Maintenance } from '../../lib/maintenances.ts'
import type { Form } from '../../lib/use-form.ts'
import { PresetOrCustom } from '../monitor-form/preset-or-custom.tsx'
import type { MaintenanceFormValues } from './values.ts'

/** Props of every section of the form. */
export interface MaintenanceSectionProps {
  form: Form<MaintenanceFormValues>
  /** Undefined for a new maintenance. */
  state: Maintenance['state'] | undefined
}

const presets = [...maintenancePresets, { minutes: 240, label: '4 hours' }, { minutes: 1_440, label: '1 day' }]

interface DurationFieldProps {
  form: Pick<Form<MaintenanceFormValues>, 'values' | 'set'>
  errors: readonly string[]
}

export function DurationField({ form: { values, set }, errors }: DurationFieldProps) {
  return (
    <PresetOrCustom
      label="Duration"
      customLabel="Minutes"
      presets={presets.map(({ minutes, label }) => ({ value: `${minutes}`, label }))}
      value={values.duration}
      errors={errors}
      onValue={(duration) => set('duration', duration)}
    />
  )
}
