import { Mail } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { boot, canSend } from '../../lib/boot.ts'
import type { AccountSecurity } from '../../lib/security.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { PasswordField } from './password-field.tsx'

export function EmailSection({ security }: { security: AccountSecurity }) {
  const { email_confirmed: isConfirmed, has_password: hasPassword } = security
  const [isChanging, setChanging] = useState(false)
  const [isSending, setSending] = useState(false)
  const canMail = canSend('email')

  async function sendLink() {
    setSending(true)
    try {
      await api.post('api/account/confirm-email')
      showToast(`An email with a link is on its way to ${boot.user?.email}.`)
    } catch (error) {
      showProblem(error)
    } finally {
      setSending(false)
    }
  }

  return (
    <Section
      title="Email address"
      icon={Mail}
      description="You sign in with it, and links to reset your password go there."
    >
      <div class="section-action">
        <p class="security-email">
          <strong>{boot.user?.email}</strong>{' '}
          <span class={isConfirmed ? 'tag security-on' : 'tag'}>{isConfirmed ? 'Confirmed' : 'Not confirmed'}</span>
          {!canMail && (
            <span class="muted small">
              The server can't send email, so the address can't be changed or confirmed here.
            </span>
          )}
        </p>
        {canMail && (
          <div class="row">
            {!isConfirmed && (
              <Button busy={isSending} onClick={() => void sendLink()}>
                Confirm address
              </Button>
            )}
            {hasPassword && <Button onClick={() => setChanging(true)}>Change address</Button>}
          </div>
        )}
      </div>
      {isChanging && <ChangeDialog onClose={() => setChanging(false)} />}
    </Section>
  )
}

function ChangeDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({ email: '', current_password: '' }, async (input) => {
    await api.put('api/account/email', { ...input, email: input.email.trim() })
    showToast(`Open the link in the email to ${input.email.trim()} to finish the change.`)
    onClose()
  })
  return (
    <Dialog title="Change your email address" onClose={onClose}>
      <form class="form" method="post" onSubmit={form.submit}>
        <p>Belfry sends a link to the new address. The change takes effect when you open it.</p>
        <TextField
          label="New email address"
          type="email"
          autocomplete="email"
          autofocus
          required
          value={form.values.email}
          errors={form.errorsFor('email')}
          onValue={(email) => form.set('email', email)}
        />
        <PasswordField
          value={form.values.current_password}
          errors={form.errorsFor('current_password')}
          onValue={(password) => form.set('current_password', password)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['email', 'current_password']} />
        <DialogActions action="Send link" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
