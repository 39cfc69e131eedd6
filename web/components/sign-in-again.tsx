/** When the session ends while a page is open, the user signs in again in a dialog and loses no unsaved input. */
import { useState } from 'preact/hooks'
import { markSignedIn } from '../lib/connection.ts'
import { queryClient } from '../lib/queries.ts'
import { type SecondFactor, signInWithPassword } from '../lib/sign-in.ts'
import { returnToShownTeam } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { lazyPart } from './lazy-page.tsx'
import { ProblemNotice } from './problem-notice.tsx'

const SecondFactorForm = lazyPart<{
  secondFactor: SecondFactor
  onSignedIn: () => void
  onBack: () => void
}>(() => import('./second-factor-form.tsx'), '12rem')

async function continueSession(): Promise<void> {
  await returnToShownTeam()
  markSignedIn()
  void queryClient.invalidateQueries()
}

export default function SignInAgain({ email }: { email: string }) {
  const [secondFactor, setSecondFactor] = useState<SecondFactor>()
  return (
    <Dialog title="Your session has ended" hidesPage>
      {secondFactor === undefined ? (
        <PasswordForm email={email} onSecondFactor={setSecondFactor} />
      ) : (
        <SecondFactorForm
          secondFactor={secondFactor}
          onSignedIn={() => void continueSession().catch(showProblem)}
          onBack={() => setSecondFactor(undefined)}
        />
      )}
    </Dialog>
  )
}

interface PasswordFormProps {
  email: string
  onSecondFactor: (secondFactor: SecondFactor) => void
}

function PasswordForm({ email, onSecondFactor }: PasswordFormProps) {
  const { values, set, submit, busy, problem } = useForm({ password: '' }, async ({ password }) => {
    const secondFactor = await signInWithPassword(email, password)
    if (secondFactor === undefined) await continueSession()
    else onSecondFactor(secondFactor)
  })
  return (
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
  )
}
