import { KeyRound, MailCheck } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { IconHeading, MessagePage } from '../components/message-page.tsx'
import { OperatorHelp } from '../components/operator-help.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { api } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { useForm } from '../lib/use-form.ts'

const operatorAnswer = 'The server operator can set a new password:'

export default function ForgotPasswordPage() {
  const [sentTo, setSentTo] = useState<string>()
  const { values, set, submit, busy, problem, errorsFor } = useForm(
    { email: boot.user?.email ?? '' },
    async ({ email }) => {
      await api.post('api/password-reset', { email })
      setSentTo(email)
    },
  )
  if (sentTo !== undefined) {
    return (
      <MessagePage title="Check your inbox" icon={MailCheck}>
        <p>
          If <strong>{sentTo}</strong> has an account, an email with a link is on its way. The link works for 30
          minutes.
        </p>
        <p class="small">No email after a few minutes? Check your spam folder.</p>
        <OperatorHelp
          question="Still no email?"
          answer={`This server may be unable to send email. ${operatorAnswer}`}
          command={boot.password_command}
        />
        <p>
          <Link href="/sign-in">Back to sign-in</Link>
        </p>
      </MessagePage>
    )
  }
  return (
    <Page title="Reset your password" isCentered heading={<IconHeading icon={KeyRound} text="Reset your password" />}>
      <form class="panel form" method="post" onSubmit={submit}>
        <p class="muted">Enter your email address. Belfry sends you a link with which you choose a new password.</p>
        <TextField
          label="Email"
          type="email"
          name="email"
          autocomplete="username"
          required
          autofocus
          value={values.email}
          errors={errorsFor('email')}
          onValue={(email) => set('email', email)}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['email']} />
        <Button kind="primary" type="submit" busy={busy}>
          Send link
        </Button>
        <OperatorHelp question="No access to your email?" answer={operatorAnswer} command={boot.password_command} />
        <p class="small centered-text">
          <Link href="/sign-in">Back to sign-in</Link>
        </p>
      </form>
    </Page>
  )
}
