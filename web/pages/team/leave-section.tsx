import { LogOut } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { TeamRecord } from '../../../src/teams/schema.ts'
import { Button } from '../../components/button.tsx'
import { LeaveTeamDialog } from '../../components/leave-team-dialog.tsx'
import { Section } from '../../components/section.tsx'
import { can } from '../../lib/team.ts'
import { useMembers } from '../../lib/team-queries.ts'

/** A team needs an owner, so its last owner sees why they can't leave. */
export function LeaveSection({ team }: { team: TeamRecord }) {
  const [isLeaving, setLeaving] = useState(false)
  const { data: members } = useMembers()
  if (can('browse') && members === undefined) return null
  const isAlone = members?.length === 1
  if (isAlone) return null
  const isLastOwner = team.role === 'owner' && members?.filter(({ role }) => role === 'owner').length === 1
  return (
    <Section title="Leave team" icon={LogOut} isDanger>
      <div class="section-action">
        <p class="muted">
          {isLastOwner
            ? 'You are the only owner. Appoint another owner first.'
            : 'You lose access to everything in this team, and your API keys in it stop working. What you created stays.'}
        </p>
        <Button kind="danger" icon={LogOut} disabled={isLastOwner} onClick={() => setLeaving(true)}>
          Leave team
        </Button>
      </div>
      {isLeaving && <LeaveTeamDialog name={team.name} onClose={() => setLeaving(false)} />}
    </Section>
  )
}
