import type { Form } from '../../lib/use-form.ts'
import type { MonitorFormValues } from './values.ts'

/** Props of every section of the form. */
export interface MonitorSectionProps {
  form: Form<MonitorFormValues>
  /** Errors of the last save or test. */
  errorsFor: (field: string) => readonly string[]
  /** Errors of a field and of everything in it, such as `http.json.0.path` in `http.json`. */
  errorsIn: (field: string) => readonly string[]
  /** Whether saved header values have to be entered again. */
  mustReenterHeaders: boolean
}

/** API names of the fields in the advanced settings, which open if one of these fields has an error. */
export const advancedFields = ['timeout', 'retries', 'retry_interval', 'remind_every', 'depends_on', 'http']
export const monitorFields = [
  'type',
  'url',
  'friendly_name',
  'interval',
  'is_active',
  'tags',
  'tcp',
  'dns',
  'tls',
  'domain',
  'heartbeat',
  ...advancedFields,
]
