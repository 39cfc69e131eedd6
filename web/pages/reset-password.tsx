import { CircleCheck, KeyRound, Unlink } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../src/shared/limits.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { IconHeading, MessagePage } from '../components/message-page.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { ApiProblem, api } from '../lib/api.ts'
import { useForm } from '../lib/use-form.ts'

export default function ResetPasswordPage({ token }: { token: string }) {
  const [outcome, setOutcome] = useState<'changed' | 'invalid'>()
  const { values, set, submit, busy, problem, errorsFor } = useForm({ new_password: '' }, async ({ new_password }) => {
    try {
      await api.post('api/password-reset/confirm', { token, new_password })
      setOutcome('changed')
    } catch (error) {
      if (!(error instanceof ApiProblem && error.status === 404)) throw error
      setOutcome('invalid')
    }
  })
  if (outcome === 'invalid') {
    return (
      <MessagePage title="This link doesn't work any more" icon={Unlink}>
        <p>Links to reset a password work once, for 30 minutes.</p>
        <p>
          <ButtonLink to="/forgot-password">Request a new link</ButtonLink>
        </p>
      </MessagePage>
    )
  }
  if (outcome === 'changed') {
    return (
      <MessagePage title="Password changed" icon={CircleCheck}>
        <p>All devices have been signed out. Sign in with the new password.</p>
        <p>
          {/* Loads the page again, because this tab may have been signed in. */}
          <a class="button button-primary" href="sign-in">
            Sign in
          </a>
        </p>
      </MessagePage>
    )
  }
  return (
    <Page
      title="Choose a new password"
      isCentered
      heading={<IconHeading icon={KeyRound} text="Choose a new password" />}
    >
      <form class="panel form" method="post" onSubmit={submit}>
        <TextField
          label="New password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters. You will be signed out on all devices.`}
          type="password"
          name="password"
          autocomplete="new-password"
          minLength={MIN_PASSWORD_LENGTH}
          maxLength={MAX_PASSWORD_LENGTH}
          required
          autofocus
          value={values.new_password}
          errors={errorsFor('new_password')}
          onValue={(password) => set('new_password', password)}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['new_password']} />
        <Button kind="primary" type="submit" busy={busy}>
          Save password
        </Button>
      </form>
    </Page>
  )
}
