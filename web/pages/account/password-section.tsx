import { KeyRound } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useSecurity } from '../../lib/security.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'

const emptyForm = { current_password: '', new_password: '' }

export function PasswordSection() {
  const form = useRef<HTMLFormElement>(null)
  const { data: security } = useSecurity()
  useEffect(() => {
    // The form scrolls into view with its field.
    if (location.hash === '#password') form.current?.querySelector<HTMLElement>('input:not([type=hidden])')?.focus()
  }, [])
  const { values, set, setAll, submit, busy, problem, errorsFor } = useForm(emptyForm, async (values) => {
    await api.put('api/account/password', values)
    setAll(emptyForm)
    void queryClient.invalidateQueries({ queryKey: queryKeys.sessions })
    showToast('Password changed. All other sessions have been signed out.')
  })
  if (security?.has_password === false) return null
  return (
    <Section
      title="Password"
      icon={KeyRound}
      description="If you change it, you stay signed in here and are signed out on all other devices."
    >
      <form class="form" ref={form} method="post" onSubmit={submit}>
        {/* Tells password managers which account the password belongs to. */}
        <input type="hidden" name="username" autocomplete="username" value={boot.user?.email} />
        <TextField
          label="Current password"
          type="password"
          autocomplete="current-password"
          required
          value={values.current_password}
          errors={errorsFor('current_password')}
          onValue={(value) => set('current_password', value)}
        />
        <TextField
          label="New password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
          type="password"
          autocomplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={MAX_PASSWORD_LENGTH}
          required
          value={values.new_password}
          errors={errorsFor('new_password')}
          onValue={(value) => set('new_password', value)}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['current_password', 'new_password']} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={busy}>
            Change password
          </Button>
        </div>
      </form>
    </Section>
  )
}
