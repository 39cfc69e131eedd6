import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'

export function NewUserDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { values, set, submit, busy, problem, errorsFor } = useForm(
    { email: '', password: '', is_admin: false },
    async (input) => {
      await api.post('api/users', input)
      showToast(`${input.email} can now sign in.`)
      onCreated()
      onClose()
    },
  )
  return (
    <Dialog title="Add user" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          autofocus
          autocomplete="off"
          required
          value={values.email}
          errors={errorsFor('email')}
          onValue={(email) => set('email', email)}
        />
        <TextField
          label="Initial password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters. Share it with the user, who can change it under Account.`}
          type="password"
          autocomplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={MAX_PASSWORD_LENGTH}
          required
          value={values.password}
          errors={errorsFor('password')}
          onValue={(password) => set('password', password)}
        />
        <CheckField
          label="Admin"
          hint="Can add and delete users and change server settings, but sees only their own teams."
          isSwitch
          checked={values.is_admin}
          onValue={(isAdmin) => set('is_admin', isAdmin)}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['email', 'password']} />
        <DialogActions action="Add user" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
