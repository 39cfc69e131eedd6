/** When the session ends while a page is open, the user signs in again in a dialog and loses no unsaved input. */
import { LogIn } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { markSignedIn } from '../lib/connection.ts'
import { queryClient } from '../lib/queries.ts'
import { canUsePasskeys, type SecondFactor, signInWithPassword, useSignInMethods } from '../lib/sign-in.ts'
import { returnToShownTeam } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Icon } from './icon.tsx'
import { lazyPart } from './lazy-page.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { ProblemNotice } from './problem-notice.tsx'

const SecondFactorForm = lazyPart<{
  secondFactor: SecondFactor
  onSignedIn: () => void
  onBack: () => void
}>(() => import('./second-factor-form.tsx'), '12rem')

async function resumePage(): Promise<void> {
  await returnToShownTeam()
  markSignedIn()
  void queryClient.invalidateQueries()
}

/** Resumes the page if the browser's session belongs to the same user. Otherwise, reloads it for the other user. */
async function resumeIfSameUser(): Promise<void> {
  const { data } = await api.get<ItemResponse<{ user: { id: number } }>>('api/session')
  if (data.user.id === boot.user?.id) await resumePage()
  else location.reload()
}

export default function SignInAgain({ email }: { email: string }) {
  const [secondFactor, setSecondFactor] = useState<SecondFactor>()
  const { data: methods } = useSignInMethods()
  useEffect(() => {
    // The user may have signed in in another tab. If they haven't, the dialog stays.
    const onFocus = () => void resumeIfSameUser().catch(() => {})
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [])
  return (
    <Dialog title="Your session has ended" hidesPage>
      {secondFactor !== undefined ? (
        <SecondFactorForm
          secondFactor={secondFactor}
          onSignedIn={() => void resumePage().catch(showProblem)}
          onBack={() => setSecondFactor(undefined)}
        />
      ) : (
        <div class="form">
          <p>Sign in again as {email} to continue. Your unsaved changes are still here.</p>
          {methods?.password !== false && <PasswordForm email={email} onSecondFactor={setSecondFactor} />}
          <div class="form-column">
            {methods?.single_sign_on && (
              <a
                class="button button-plain"
                href="sign-in/single-sign-on?return_to=%2F"
                target="_blank"
                rel="noreferrer"
              >
                <Icon icon={LogIn} />
                {methods.single_sign_on.label}
                <span class="hidden-text"> (opens a new tab)</span>
              </a>
            )}
            {methods?.passkeys && canUsePasskeys && <PasskeyButton onSignedIn={resumeIfSameUser} />}
            <Button kind="quiet" onClick={() => location.reload()}>
              Use another account
            </Button>
          </div>
        </div>
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
    if (secondFactor === undefined) await resumePage()
    else onSecondFactor(secondFactor)
  })
  return (
    <form class="form" method="post" onSubmit={submit}>
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
      <Button kind="primary" type="submit" busy={busy}>
        Sign in
      </Button>
    </form>
  )
}
