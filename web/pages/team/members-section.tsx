import { UsersRound } from 'lucide-preact'
import { roles } from '../../../src/shared/roles.ts'
import { Section } from '../../components/section.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { roleHints } from '../../lib/role-hints.ts'
import { roleLabels } from '../../lib/role-labels.ts'
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
        {(members) => (
          <>
            <MemberTable members={members} />
            <RoleList />
          </>
        )}
      </QueryContent>
    </Section>
  )
}

/** The select of a role has room only for its name. */
function RoleList() {
  return (
    <details class="small team-roles">
      <summary class="clickable muted">What each role can do</summary>
      <dl>
        {roles.map((role) => (
          <div key={role}>
            <dt>{roleLabels[role]}</dt>
            <dd class="muted">{roleHints[role]}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
