import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'

export function NewUserDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const { values, set, submit, busy, problem, errorsOf } = useForm(
    { email: '', password: '', is_admin: false },
    async (sent) => {
      await api.post('api/users', sent)
      showToast(`${sent.email} can sign in now.`)
      onCreated()
      onClose()
    },
  )
  return (
    <Dialog title="Add a user" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="E-mail"
          type="email"
          autofocus
          autocomplete="off"
          required
          value={values.email}
          errors={errorsOf('email')}
          onValue={(email) => set('email', email)}
        />
        <TextField
          label="First password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters. Tell it to them; they can change it under Account.`}
          type="password"
          autocomplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={MAX_PASSWORD_LENGTH}
          required
          value={values.password}
          errors={errorsOf('password')}
          onValue={(password) => set('password', password)}
        />
        <CheckField
          label="Administrator"
          hint="May add and delete users. Nobody sees the websites and monitors of others, administrators neither."
          checked={values.is_admin}
          onValue={(isAdmin) => set('is_admin', isAdmin)}
        />
        <ProblemNotice problem={problem} shown={['email', 'password']} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={busy}>
            Add the user
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
