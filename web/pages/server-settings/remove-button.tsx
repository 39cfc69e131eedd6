import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { api } from '../../lib/api.ts'
import { refreshServerSettings } from '../../lib/server-settings.ts'
import { showToast } from '../../lib/toasts.ts'

interface RemoveButtonProps {
  /** What is removed, such as `public URL`. */
  label: string
  path: string
  /** What stops working, as a sentence. */
  consequence: string
  onRemoved: () => void
}

export function RemoveButton({ label, path, consequence, onRemoved }: RemoveButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        Remove
        <span class="hidden-text"> {label}</span>
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove the ${label}?`}
          action={`Remove ${label}`}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await api.delete(path)
            await refreshServerSettings()
            onRemoved()
            setAsking(false)
            showToast(`Removed the ${label}.`)
          }}
        >
          <p>{consequence}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
