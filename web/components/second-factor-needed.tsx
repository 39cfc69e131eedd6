import { ShieldAlert } from 'lucide-preact'
import { teams } from '../lib/team.ts'
import { ButtonLink } from './button.tsx'
import { MessagePage } from './message-page.tsx'

/** Shown instead of the pages of a team that requires a second factor, until the user has one. */
export default function SecondFactorNeeded() {
  const team = teams.find(({ is_current }) => is_current)
  return (
    <MessagePage title="Set up a second factor" icon={ShieldAlert}>
      <p>
        <strong>{team?.name}</strong> requires an authenticator app or a passkey in addition to your password. It takes
        a minute.
      </p>
      <p>
        <ButtonLink kind="primary" to="/account/security">
          Open security settings
        </ButtonLink>
      </p>
      <p class="small">If you have one already, sign out and sign in again with it.</p>
    </MessagePage>
  )
}
