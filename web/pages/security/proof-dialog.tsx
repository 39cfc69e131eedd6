import type { ComponentChildren } from 'preact'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useForm } from '../../lib/use-form.ts'
import { PasswordField, toProof } from './password-field.tsx'

interface ProofDialogProps {
  title: string
  action: string
  isDanger?: boolean
  hasPassword: boolean
  /** `proof` belongs in the body of the request. */
  onConfirm: (proof: object) => Promise<void>
  onClose: () => void
  children: ComponentChildren
}

/** Asks for the password before a change of how the user signs in. */
export function ProofDialog(props: ProofDialogProps) {
  const { title, action, isDanger = false, hasPassword, onConfirm, onClose, children } = props
  const { values, set, submit, busy, problem, errorsFor } = useForm({ current_password: '' }, ({ current_password }) =>
    onConfirm(toProof(hasPassword, current_password)),
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="form" method="post" onSubmit={submit}>
        <div>{children}</div>
        {hasPassword && (
          <PasswordField
            value={values.current_password}
            errors={errorsFor('current_password')}
            onValue={(password) => set('current_password', password)}
          />
        )}
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['current_password']} />
        <DialogActions action={action} kind={isDanger ? 'danger' : 'primary'} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
