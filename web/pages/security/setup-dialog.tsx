/** Sets up an authenticator app: password, QR code with a first code, recovery codes. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { lazyPart } from '../../components/lazy-page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { openWaitingTeam, refetchSecurity } from '../../lib/security.ts'
import { useForm } from '../../lib/use-form.ts'
import { ProofDialog } from './proof-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

interface Secret {
  secret: string
  uri: string
}

interface SetupDialogProps {
  hasPassword: boolean
  onClose: () => void
}

// Drawing QR codes needs a large library.
const loadQrCode = () => import('./qr-code.tsx')
const QrCode = lazyPart<{ text: string; label: string }>(loadQrCode, '11rem')

export function SetupDialog({ hasPassword, onClose }: SetupDialogProps) {
  const [secret, setSecret] = useState<Secret>()
  const [codes, setCodes] = useState<readonly string[]>()
  // `QrCode` shows the error if it can't be loaded.
  useEffect(() => void loadQrCode().catch(() => {}), [])
  if (codes !== undefined) {
    const finish = () => {
      onClose()
      openWaitingTeam()
    }
    return <RecoveryCodesDialog title="Save your recovery codes" codes={codes} onClose={finish} />
  }
  if (secret !== undefined) return <CodeStep secret={secret} onCodes={setCodes} onClose={onClose} />
  return (
    <ProofDialog
      title="Set up an authenticator app"
      action="Continue"
      hasPassword={hasPassword}
      onClose={onClose}
      onConfirm={async (proof) => setSecret((await api.post<ItemResponse<Secret>>('api/account/totp', proof)).data)}
    >
      <p>
        You need an app on your phone that shows codes, such as Aegis, 2FAS, Google Authenticator or your password
        manager. You are then signed out on your other devices.
      </p>
    </ProofDialog>
  )
}

const CODE_LENGTH = 6

interface CodeStepProps {
  secret: Secret
  onCodes: (codes: readonly string[]) => void
  onClose: () => void
}

function CodeStep({ secret: { secret, uri }, onCodes, onClose }: CodeStepProps) {
  const form = useForm({ code: '' }, async ({ code }) => {
    const { data } = await api.put<ItemResponse<{ recovery_codes: string[] }>>('api/account/totp', { code })
    onCodes(data.recovery_codes)
    void refetchSecurity()
  })
  const element = useRef<HTMLFormElement>(null)
  const { code } = form.values
  useEffect(() => {
    if (new RegExp(`^\\d{${CODE_LENGTH}}$`).test(code)) element.current?.requestSubmit()
  }, [code])
  return (
    <Dialog title="Scan this code" onClose={onClose}>
      <form class="form" ref={element} onSubmit={form.submit}>
        <div class="security-scan">
          <div class="security-qr">
            <QrCode text={uri} label="QR code for the authenticator app. The key below is the same as text." />
          </div>
          <div>
            <p>Scan it with the app on your phone. Or enter this key there:</p>
            <p class="security-key">
              <code>{secret.match(/.{1,4}/g)?.join(' ')}</code> <CopyButton text={secret} label="Copy key" />
            </p>
            <p class="small">
              <a href={uri}>Open in an app on this device</a>
            </p>
          </div>
        </div>
        <TextField
          label="Code"
          hint={`Then enter the ${CODE_LENGTH} digits that the app shows.`}
          inputMode="numeric"
          autocomplete="one-time-code"
          autofocus
          required
          maxLength={CODE_LENGTH + 2}
          value={code}
          errors={form.errorsFor('code')}
          onValue={(text) => form.set('code', text.replaceAll(/\s/g, ''))}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['code']} />
        <DialogActions action="Turn on" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
