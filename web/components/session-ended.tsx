/** When the session ends while a page is open, the user signs in again in a dialog and loses no unsaved input. */
import { api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { markSignedIn, useConnectionState } from '../lib/connection.ts'
import { queryClient } from '../lib/queries.ts'
import { useForm } from '../lib/use-form.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { ProblemNotice } from './problem-notice.tsx'

export function SessionEnded() {
  return useConnectionState() === 'signed out' && boot.user !== null ? <SignInAgain email={boot.user.email} /> : null
}

function SignInAgain({ email }: { email: string }) {
  const { values, set, submit, busy, problem } = useForm({ password: '' }, async ({ password }) => {
    await api.post<ItemResponse<unknown>>('api/session', { email, password })
    markSignedIn()
    void queryClient.invalidateQueries()
  })
  return (
    <Dialog title="Your session has ended" hidesPage>
      <form class="form" method="post" onSubmit={submit}>
        <p>Sign in again as {email} to continue. Your unsaved changes are still here.</p>
        <input type="hidden" name="username" autocomplete="username" value={email} />
        <TextField
          label="Password"
          type="password"
          autocomplete="current-password"
          required
          autofocus
          value={values.password}
          onValue={(password) => set('password', password)}
        />
        <ProblemNotice problem={problem} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={busy}>
            Sign in
          </Button>
          <Button kind="quiet" onClick={() => location.reload()}>
            Use another account
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
