/** The password form of protected statistics. */
import { Lock } from 'lucide-preact'
import { useEffect, useRef } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { toDisplayHost } from '../../lib/address.ts'
import { api } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import './locked-website.css'

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
    <div class="website-locked">
      <Page
        title={toDisplayHost(domain)}
        heading={
          <>
            <span class="website-locked-icon">
              <Icon icon={Lock} size={22} />
            </span>
            {toDisplayHost(domain)}
          </>
        }
        isNarrow
      >
        <div class="panel">
          <form ref={formElement} class="form" onSubmit={form.submit}>
            <p class="muted">These statistics are password-protected.</p>
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
            <Button kind="primary" type="submit" busy={form.busy}>
              View statistics
            </Button>
          </form>
        </div>
      </Page>
    </div>
  )
}
