import { Button } from '../components/button.tsx'
import { CodeLine } from '../components/copy-button.tsx'
import { TextField } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { api } from '../lib/api.ts'
import { basePath, boot } from '../lib/boot.ts'
import { findUrlAfterSignIn } from '../lib/sign-in-path.ts'
import { useForm } from '../lib/use-form.ts'

/** Shown in place of any page that requires a session. After signing in, the browser reloads that page. */
export function SignInPage() {
  const { values, set, submit, busy, problem } = useForm({ email: '', password: '' }, async (credentials) => {
    await api.post('api/session', credentials)
    if (location.pathname === `${basePath}/sign-in`) {
      location.replace(findUrlAfterSignIn(location.search, new URL('.', document.baseURI).href))
    } else location.reload()
  })
  return (
    <Page title="Sign in" isCentered heading={<BrandHeading />}>
      <form class="panel form" method="post" onSubmit={submit}>
        <TextField
          label="Email"
          type="email"
          name="email"
          autocomplete="username"
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
        <details class="small">
          <summary class="clickable muted">Forgot your password?</summary>
          <div class="stack">
            <p class="muted">The server operator can set a new one:</p>
            <CodeLine text={boot.password_command} />
          </div>
        </details>
      </form>
    </Page>
  )
}

function BrandHeading() {
  return (
    <span class="icon-heading">
      <img src="icon.svg" width="40" height="40" alt="" />
      Sign in
    </span>
  )
}
