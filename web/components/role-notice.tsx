import { CircleAlert } from 'lucide-preact'
import { roleLabels } from '../lib/role-labels.ts'
import { currentRole, teams } from '../lib/team.ts'
import { ButtonLink } from './button.tsx'
import { MessagePage } from './message-page.tsx'

export default function RoleNotice() {
  const team = teams.find(({ is_current }) => is_current)
  return (
    <MessagePage title="Not allowed" icon={CircleAlert}>
      <p>
        Your role in {team?.name ?? 'this team'} is {roleLabels[currentRole]}, which doesn't allow this. Ask an owner or
        admin of the team.
      </p>
      <p>
        <ButtonLink to="/">Go to overview</ButtonLink>
      </p>
    </MessagePage>
  )
}
