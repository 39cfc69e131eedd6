import { TextField } from '../../components/field.tsx'
import { boot } from '../../lib/boot.ts'

interface PasswordFieldProps {
  hint?: string
  value: string
  errors: readonly string[] | undefined
  onValue: (value: string) => void
}

/** Proves that the user, and not somebody who found the device, makes the change. */
export function PasswordField({ hint, value, errors, onValue }: PasswordFieldProps) {
  return (
    <>
      <input type="hidden" name="username" autocomplete="username" value={boot.user?.email} />
      <TextField
        label="Current password"
        hint={hint}
        type="password"
        autocomplete="current-password"
        autofocus
        required
        value={value}
        errors={errors}
        onValue={onValue}
      />
    </>
  )
}

/** Accounts without a password send no proof. The server requires that their session began a few minutes ago at most. */
export const toProof = (hasPassword: boolean, password: string) => (hasPassword ? { current_password: password } : {})
