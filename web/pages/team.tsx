/** The team in which the user works: its people, its settings, and leaving it. */
import { Page } from '../components/page.tsx'
import { QueryContent, Skeleton } from '../components/states.tsx'
import { can } from '../lib/team.ts'
import { useTeam } from '../lib/team-queries.ts'
import { InvitationsSection, InviteButton } from './team/invitations-section.tsx'
import { LeaveSection } from './team/leave-section.tsx'
import { MembersSection } from './team/members-section.tsx'
import { DeleteTeamSection, NameSection, SecuritySection } from './team/settings-sections.tsx'
import './team/team.css'

export default function TeamPage() {
  const team = useTeam()
  return (
    <Page title="Team" isSettings actions={can('manage') && <InviteButton />}>
      <div class="sections">
        {can('browse') && <MembersSection />}
        {can('manage') && <InvitationsSection />}
        <QueryContent query={team} loading={<Skeleton height="10rem" />}>
          {(team) => (
            <>
              <NameSection team={team} />
              {can('manage') && <SecuritySection team={team} />}
              <LeaveSection team={team} />
              {can('own') && <DeleteTeamSection team={team} />}
            </>
          )}
        </QueryContent>
      </div>
    </Page>
  )
}
