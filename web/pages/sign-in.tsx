import { LogIn } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { lazyPart } from '../components/lazy-page.tsx'
import { Page } from '../components/page.tsx'
import { PasskeyButton } from '../components/passkey-button.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { Loading, Skeleton } from '../components/states.tsx'
import { basePath } from '../lib/boot.ts'
import {
  canUsePasskeys,
  type SecondFactor,
  type SignInMethods,
  signInWithOfferedPasskey,
  signInWithPassword,
  useSignInMethods,
} from '../lib/sign-in.ts'
import { findUrlAfterSignIn } from '../lib/sign-in-path.ts'
import { showProblem } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import './sign-in/sign-in.css'

const SecondFactorForm = lazyPart<{
  secondFactor: SecondFactor
  onSignedIn: () => void
  onBack: () => void
}>(() => import('../components/second-factor-form.tsx'), '12rem')

/** If the server doesn't say which ways it offers, a password is worth a try. */
const defaultMethods: SignInMethods = { password: true, passkeys: false, single_sign_on: null }

const isSignInPath = () => location.pathname === `${basePath}/sign-in`

const findNextUrl = () => findUrlAfterSignIn(location.search, new URL('.', document.baseURI).href)

/** Opens the page that the user wanted to see. */
function openNextPage(): void {
  if (isSignInPath()) location.replace(findNextUrl())
  else location.reload()
}

/** Shown in place of any page that requires a session. After signing in, the browser reloads that page. */
export default function SignInPage() {
  const [secondFactor, setSecondFactor] = useState<SecondFactor>()
  const { data, isError } = useSignInMethods()
  const methods = data ?? (isError ? defaultMethods : undefined)
  const title = secondFactor === undefined ? 'Sign in' : "Confirm that it's you"
  return (
    <Page title={title} isCentered heading={<BrandHeading title={title} />}>
      <div class="panel sign-in">
        {secondFactor !== undefined ? (
          <SecondFactorForm
            secondFactor={secondFactor}
            onSignedIn={openNextPage}
            onBack={() => setSecondFactor(undefined)}
          />
        ) : methods === undefined ? (
          // The ways to sign in are known after one short request. A form that grew then would be harder to hit.
          <Loading what="sign-in form">
            <Skeleton height="13.5rem" />
          </Loading>
        ) : (
          <FirstStep methods={methods} onSecondFactor={setSecondFactor} />
        )}
      </div>
    </Page>
  )
}

interface FirstStepProps {
  methods: SignInMethods
  onSecondFactor: (secondFactor: SecondFactor) => void
}

function FirstStep({ methods, onSecondFactor }: FirstStepProps) {
  const hasPasskeys = methods.passkeys && canUsePasskeys
  usePasskeyAutofill(hasPasskeys && methods.password)
  return (
    <>
      {methods.password && <PasswordForm onSecondFactor={onSecondFactor} hasPasskeys={hasPasskeys} />}
      {methods.password && (hasPasskeys || methods.single_sign_on) && (
        <p class="sign-in-or muted small" aria-hidden="true">
          or
        </p>
      )}
      <div class="form-column">
        {methods.single_sign_on && (
          <a
            class={`button button-${methods.password ? 'plain' : 'primary'}`}
            href={`sign-in/single-sign-on?return_to=${encodeURIComponent(findReturnPath())}`}
          >
            <Icon icon={LogIn} />
            {methods.single_sign_on.label}
          </a>
        )}
        {hasPasskeys && <PasskeyButton onSignedIn={openNextPage} />}
      </div>
    </>
  )
}

/** The path of the page to open after signing in, without the path prefix of the server. */
function findReturnPath(): string {
  const { pathname, search } = new URL(isSignInPath() ? findNextUrl() : location.href)
  return `${pathname.slice(basePath.length)}${search}`
}

/** The browser offers passkeys among the suggestions for the email field. */
function usePasskeyAutofill(isEnabled: boolean): void {
  useEffect(() => {
    if (!isEnabled) return
    signInWithOfferedPasskey().then((isSignedIn) => isSignedIn && openNextPage(), showProblem)
  }, [isEnabled])
}

interface PasswordFormProps {
  hasPasskeys: boolean
  onSecondFactor: (secondFactor: SecondFactor) => void
}

function PasswordForm({ hasPasskeys, onSecondFactor }: PasswordFormProps) {
  const { values, set, submit, busy, problem } = useForm({ email: '', password: '' }, async ({ email, password }) => {
    const secondFactor = await signInWithPassword(email, password)
    if (secondFactor === undefined) openNextPage()
    else onSecondFactor(secondFactor)
  })
  return (
    <form class="form" method="post" onSubmit={submit}>
      <TextField
        label="Email"
        type="email"
        name="email"
        autocomplete={hasPasskeys ? 'username webauthn' : 'username'}
        required
        autofocus
        value={values.email}
        onValue={(email) => set('email', email)}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autocomplete="current-password"
        required
        value={values.password}
        onValue={(password) => set('password', password)}
      />
      <ProblemNotice problem={problem} />
      <Button kind="primary" type="submit" busy={busy}>
        Sign in
      </Button>
      <p class="small sign-in-forgot">
        <Link href="/forgot-password">Forgot your password?</Link>
      </p>
    </form>
  )
}

function BrandHeading({ title }: { title: string }) {
  return (
    <span class="icon-heading">
      <img src="icon.svg" width="40" height="40" alt="" />
      {title}
    </span>
  )
}
