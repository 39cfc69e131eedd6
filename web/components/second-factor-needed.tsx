import { LogOut, ShieldAlert } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { signOut } from '../lib/sign-out.ts'
import { teams } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import { Button, ButtonLink } from './button.tsx'
import { LeaveTeamDialog } from './leave-team-dialog.tsx'
import { MessagePage } from './message-page.tsx'

/** Shown instead of the pages of a team that requires a second factor, until the user has one. */
export default function SecondFactorNeeded() {
  const [isLeaving, setLeaving] = useState(false)
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
      <p class="row">
        <Button icon={LogOut} onClick={() => void signOut().catch(showProblem)}>
          Sign out
        </Button>
        <Button onClick={() => setLeaving(true)}>Leave team</Button>
      </p>
      {isLeaving && <LeaveTeamDialog name={team?.name ?? 'the team'} onClose={() => setLeaving(false)} />}
    </MessagePage>
  )
}
