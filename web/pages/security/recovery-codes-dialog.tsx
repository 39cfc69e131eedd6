import { Download, Printer } from 'lucide-preact'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { boot, publicUrl } from '../../lib/boot.ts'

interface RecoveryCodesDialogProps {
  title: string
  codes: readonly string[]
  onClose: () => void
}

/** The codes are never shown again, so Escape doesn't close the dialog. */
export function RecoveryCodesDialog({ title, codes, onClose }: RecoveryCodesDialogProps) {
  const text = `Recovery codes of ${boot.user?.email} for ${publicUrl}. Each works once.\n\n${codes.join('\n')}\n`
  return (
    <Dialog title={title}>
      <div class="stack security-print">
        <p>
          If you lose your phone or your passkeys, one of these codes signs you in instead. Keep them somewhere safe,
          such as in a password manager or on paper. <strong>They aren't shown again.</strong>
        </p>
        <ol class="security-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <div class="row security-no-print">
          <CopyButton text={text} label="Copy" />
          <Button small icon={Download} onClick={() => download(text)}>
            Download
          </Button>
          <Button small icon={Printer} onClick={() => window.print()}>
            Print
          </Button>
        </div>
        <div class="form-actions security-no-print">
          <Button kind="primary" onClick={onClose}>
            I've saved them
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The browser needs the URL until it has saved the file. */
const REVOKE_URL_DELAY_MS = 60_000

function download(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = 'belfry-recovery-codes.txt'
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_URL_DELAY_MS)
}
