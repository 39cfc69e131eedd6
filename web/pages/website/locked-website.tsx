/** The password form of protected statistics. */
import { useEffect, useRef } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'

export function LockedWebsite({ id, domain, onUnlocked }: { id: number; domain: string; onUnlocked: () => void }) {
  const formElement = useRef<HTMLFormElement>(null)
  const findPasswordInput = () => formElement.current?.querySelector('input')
  const form = useForm({ password: '' }, async ({ password }) => {
    try {
      await api.post(`api/v1/stats/${id}/unlock`, { password })
    } catch (error) {
      findPasswordInput()?.select()
      throw error
    }
    onUnlocked()
  })
  useEffect(() => findPasswordInput()?.focus(), [])
  const { problem } = form
  const isWrongPassword = problem?.code === 'password_required'
  return (
    <Page title={domain} isNarrow>
      <div class="panel website-locked">
        <form ref={formElement} class="form" onSubmit={form.submit}>
          <p>These statistics are password-protected.</p>
          <TextField
            label="Password"
            type="password"
            required
            autocomplete="current-password"
            maxLength={MAX_PASSWORD_LENGTH}
            value={form.values.password}
            onValue={(password) => form.set('password', password)}
            errors={isWrongPassword ? [problem.message] : form.errorsFor('password')}
          />
          <ProblemNotice problem={isWrongPassword ? undefined : problem} fieldsWithOwnErrors={['password']} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              View statistics
            </Button>
          </div>
        </form>
      </div>
    </Page>
  )
}
