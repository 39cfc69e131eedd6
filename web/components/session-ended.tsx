import { boot } from '../lib/boot.ts'
import { useConnectionState } from '../lib/connection.ts'
import { lazyPart } from './lazy-page.tsx'

const SignInAgain = lazyPart<{ email: string }>(() => import('./sign-in-again.tsx'))

export function SessionEnded() {
  return useConnectionState() === 'signed out' && boot.user !== null ? <SignInAgain email={boot.user.email} /> : null
}
