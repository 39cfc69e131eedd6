/** In the place of statistics that a password protects. */
import { useEffect, useRef } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH } from '../../../src/shared/limits.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { Page } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'

export function Locked({ id, domain, onUnlocked }: { id: number; domain: string; onUnlocked: () => void }) {
  const place = useRef<HTMLFormElement>(null)
  const field = () => place.current?.querySelector('input')
  const form = useForm({ password: '' }, async ({ password }) => {
    try {
      await api.post(`api/v1/stats/${id}/unlock`, { password })
    } catch (error) {
      field()?.select()
      throw error
    }
    onUnlocked()
  })
  useEffect(() => field()?.focus(), [])
  const { problem } = form
  const isWrong = problem?.code === 'password_required'
  return (
    <Page title={domain} isNarrow>
      <div class="panel website-locked">
        <form ref={place} class="form" onSubmit={form.submit}>
          <p>The statistics of this website are protected by a password.</p>
          <TextField
            label="Password"
            type="password"
            required
            autocomplete="current-password"
            maxLength={MAX_PASSWORD_LENGTH}
            value={form.values.password}
            onValue={(password) => form.set('password', password)}
            errors={isWrong ? [problem.message] : form.errorsOf('password')}
          />
          <ProblemNotice problem={isWrong ? undefined : problem} shown={['password']} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              Show the statistics
            </Button>
          </div>
        </form>
      </div>
    </Page>
  )
}
