import { LogOut } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { TeamRecord } from '../../../src/teams/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Section } from '../../components/section.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { reloadAllTabs } from '../../lib/sign-out.ts'
import { can } from '../../lib/team.ts'
import { teamPath, useMembers } from '../../lib/team-queries.ts'

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
      {isLeaving && (
        <ConfirmDialog
          title={`Leave ${team.name}?`}
          action="Leave team"
          onClose={() => setLeaving(false)}
          onConfirm={async () => {
            await api.delete(`${teamPath}/members/${boot.user?.id}`)
            reloadAllTabs()
          }}
        >
          <p>To come back, you need an invitation.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
