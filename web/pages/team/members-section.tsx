import { UsersRound } from 'lucide-preact'
import { Section } from '../../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { can } from '../../lib/team.ts'
import { useMembers } from '../../lib/team-queries.ts'
import { MemberTable } from './member-table.tsx'

export function MembersSection() {
  return (
    <Section
      title="Members"
      icon={UsersRound}
      description={
        can('manage')
          ? 'A changed role applies immediately. API keys of a member who is removed stop working.'
          : 'Only owners and admins can change roles and remove members.'
      }
    >
      <QueryContent
        query={useMembers()}
        loading={
          <Loading what="members">
            <Skeleton height="9rem" />
          </Loading>
        }
      >
        {(members) => <MemberTable members={members} />}
      </QueryContent>
    </Section>
  )
}
