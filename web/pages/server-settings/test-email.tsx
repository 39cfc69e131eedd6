/** Sends a test email with the settings that apply, also those of the environment, and shows the result of the last one. */
import { Send } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { ServerSettingsRecord } from '../../../src/server-settings/schema.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { DateTime } from '../../components/time.tsx'
import { ApiProblem, api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'

export function TestEmail({ mail }: { mail: ServerSettingsRecord['mail'] }) {
  const [isBusy, setBusy] = useState(false)
  async function send() {
    setBusy(true)
    try {
      await api.post('api/server/settings/mail/test')
      showToast(`The mail server accepted the test email. Check the inbox of ${boot.user?.email}.`)
    } catch (error) {
      // The notice below shows why the mail server didn't accept the email.
      if (!(error instanceof ApiProblem && error.code === 'provider_delivery_failed')) showProblem(error)
    } finally {
      await refreshServerSettings().catch(showProblem)
      setBusy(false)
    }
  }
  return (
    <>
      <div aria-live="polite">
        <LastTest mail={mail} />
      </div>
      <div class="row">
        <Button icon={Send} busy={isBusy} onClick={() => void send()}>
          Send test email
        </Button>
        <span class="muted small">
          To <strong>{boot.user?.email}</strong>
        </span>
      </div>
    </>
  )
}

function LastTest({ mail: { tested_at: testedAt, test_error: error } }: { mail: ServerSettingsRecord['mail'] }) {
  if (testedAt === null) return <Notice tone="warn">Not tested yet. Send a test email to see whether it works.</Notice>
  if (error !== null) {
    return (
      <Notice tone="bad">
        <p>
          <strong>
            The test email failed on <DateTime at={testedAt} />
          </strong>
        </p>
        <p>{error}</p>
      </Notice>
    )
  }
  return (
    <p class="small muted">
      The mail server accepted a test email on <DateTime at={testedAt} />.
    </p>
  )
}
