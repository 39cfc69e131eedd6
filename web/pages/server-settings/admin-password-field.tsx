import { useState } from 'preact/hooks'
import type { Form } from '../../lib/use-form.ts'
import { PasswordField, toProof } from '../security/password-field.tsx'

type ConfirmedForm = Pick<Form<{ current_password: string }>, 'values' | 'set' | 'errorsFor'>

/** Appears after the server has asked for the admin's password, because they signed in more than 10 minutes ago. */
export function AdminPasswordField({ form }: { form: ConfirmedForm }) {
  const [isAsked, setAsked] = useState(false)
  const errors = form.errorsFor('current_password')
  if (errors !== undefined && !isAsked) setAsked(true)
  if (!isAsked) return null
  return (
    <PasswordField
      hint="Enter your Belfry password to confirm that it's you."
      value={form.values.current_password}
      errors={errors}
      onValue={(password) => form.set('current_password', password)}
    />
  )
}

/** Nothing is sent before the server asks for the password. */
export const toAdminProof = (password: string) => toProof(password !== '', password)
