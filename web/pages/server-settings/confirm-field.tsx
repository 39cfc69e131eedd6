import { useState } from 'preact/hooks'
import type { Form } from '../../lib/use-form.ts'
import { PasswordField } from '../security/password-field.tsx'

type ConfirmedForm = Pick<Form<{ current_password: string }>, 'values' | 'set' | 'errorsFor'>

/** Appears when the server asks for the admin's own password, because the session is not a new one. */
export function ConfirmField({ form }: { form: ConfirmedForm }) {
  const [isAsked, setAsked] = useState(false)
  const errors = form.errorsFor('current_password')
  if (errors !== undefined && !isAsked) setAsked(true)
  if (!isAsked) return null
  return (
    <PasswordField
      hint="The password with which you sign in to Belfry. It confirms that it's you."
      value={form.values.current_password}
      errors={errors}
      onValue={(password) => form.set('current_password', password)}
    />
  )
}
