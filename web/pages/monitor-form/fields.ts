import type { Form } from '../../lib/use-form.ts'
import type { Values } from './values.ts'

/** What every part of the form gets. */
export interface PartProps {
  form: Form<Values>
  /** Of the last attempt to save or to try. */
  errorsOf: (field: string) => readonly string[]
}

/** By the names that the server uses; the form has a place for what is wrong with each of these. */
export const moreFields = [
  'timeout',
  'retries',
  'retry_interval',
  'remind_every',
  'http.method',
  'http.headers',
  'http.body',
  'http.expected_status',
  'http.keyword',
  'http.keyword_absent',
  'http.follow_redirects',
  'http.verify_tls',
]
export const shownFields = ['type', 'url', 'friendly_name', 'interval', 'is_active', ...moreFields]
