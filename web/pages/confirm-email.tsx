import { CircleCheck, Mail, Unlink } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../components/button.tsx'
import { MessagePage } from '../components/message-page.tsx'
import { ApiProblem, api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { buildSignInPath } from '../lib/sign-in-path.ts'
import { showProblem } from '../lib/toasts.ts'

type Outcome = { kind: 'confirmed'; email: string } | { kind: 'failed'; reason: string }

/** Mail servers open links to check them, so only a click confirms the address. */
export default function ConfirmEmailPage({ token }: { token: string }) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  async function confirm() {
    setBusy(true)
    try {
      const { data } = await api.post<ItemResponse<{ email: string }>>('api/confirm-email', { token })
      setOutcome({ kind: 'confirmed', email: data.email })
    } catch (error) {
      if (error instanceof ApiProblem && [403, 404, 409].includes(error.status)) {
        setOutcome({ kind: 'failed', reason: error.message })
      } else showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  if (outcome?.kind === 'confirmed') {
    return (
      <MessagePage title="Email address confirmed" icon={CircleCheck}>
        <p>
          <strong>{outcome.email}</strong> is now the address of your account.
        </p>
        <p>
          {/* Loads the page again, because it may show the former address. */}
          <a class="button button-plain" href="./">
            Go to Belfry
          </a>
        </p>
      </MessagePage>
    )
  }
  if (outcome?.kind === 'failed') {
    return (
      <MessagePage title="The address wasn't confirmed" icon={Unlink}>
        <p>{outcome.reason}</p>
        <p>
          <ButtonLink to="/account/security">Security settings</ButtonLink>
        </p>
      </MessagePage>
    )
  }
  if (boot.user === null) {
    return (
      <MessagePage title="Confirm your email address" icon={Mail}>
        <p>
          Sign in to the account that requested this link. If you didn't request it, close this page. Nothing will
          change.
        </p>
        <p>
          <ButtonLink kind="primary" to={buildSignInPath(`/confirm-email/${token}`)}>
            Sign in
          </ButtonLink>
        </p>
      </MessagePage>
    )
  }
  return (
    <MessagePage title="Confirm your email address" icon={Mail}>
      <p>After you confirm, your Belfry account uses the address that received this link.</p>
      <p>
        <Button kind="primary" busy={isBusy} onClick={() => void confirm()}>
          Confirm email address
        </Button>
      </p>
    </MessagePage>
  )
}
