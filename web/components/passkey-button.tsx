import { Fingerprint } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { isCancelled, signInWithPasskey } from '../lib/sign-in.ts'
import { showProblem } from '../lib/toasts.ts'
import { Button } from './button.tsx'

export function PasskeyButton({ onSignedIn }: { onSignedIn: () => void | Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  async function signIn() {
    setBusy(true)
    try {
      await signInWithPasskey()
      await onSignedIn()
    } catch (error) {
      if (!isCancelled(error)) showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={Fingerprint} busy={isBusy} onClick={() => void signIn()}>
      Sign in with a passkey
    </Button>
  )
}
