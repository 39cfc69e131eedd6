/** The open invitations of the team, for owners and admins. */
import { useQuery } from '@tanstack/preact-query'
import { MailPlus, UserPlus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { InvitationRecord } from '../../../src/teams/invitation-schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EmailText } from '../../components/email-text.tsx'
import { Section } from '../../components/section.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { api, type ListResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { roleLabels } from '../../lib/role-labels.ts'
import { can } from '../../lib/team.ts'
import { teamPath } from '../../lib/team-queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { SharedNote } from './shared-note.tsx'

const path = `${teamPath}/invitations`

const refetchInvitations = () => queryClient.invalidateQueries({ queryKey: queryKeys.invitations })

export function InviteButton() {
  const [isInviting, setInviting] = useState(false)
  return (
    <>
      <Button kind="primary" icon={UserPlus} onClick={() => setInviting(true)}>
        Invite
      </Button>
      {isInviting && <InviteDialog onInvited={refetchInvitations} onClose={() => setInviting(false)} />}
    </>
  )
}

export function InvitationsSection() {
  const [toRenew, setToRenew] = useState<InvitationRecord>()
  const [toRevoke, setToRevoke] = useState<InvitationRecord>()
  const invitations = useQuery({
    queryKey: queryKeys.invitations,
    queryFn: async ({ signal }) => (await api.get<ListResponse<InvitationRecord>>(path, signal)).data,
  })
  return (
    <Section
      title="Invitations"
      icon={MailPlus}
      description="Each link works once, for 48 hours, and only for the invited address."
    >
      <QueryContent query={invitations} loading={<Skeleton height="2.5rem" />}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p class="muted">No open invitations.</p>
          ) : (
            <ul>
              {invitations.map((invitation) => (
                <li key={invitation.id} class="team-invitation">
                  <Description invitation={invitation} />
                  {/* Only owners replace and revoke an invitation with the role owner. */}
                  {(invitation.role !== 'owner' || can('own')) && (
                    <div class="team-actions">
                      <Button
                        small
                        aria-label={`Create a new link for ${invitation.email}`}
                        onClick={() => setToRenew(invitation)}
                      >
                        New link
                      </Button>
                      <Button
                        small
                        kind="danger"
                        aria-label={`Revoke the invitation of ${invitation.email}`}
                        onClick={() => setToRevoke(invitation)}
                      >
                        Revoke
                      </Button>
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryContent>
      {toRenew && (
        <InviteDialog invitation={toRenew} onInvited={refetchInvitations} onClose={() => setToRenew(undefined)} />
      )}
      {toRevoke && (
        <ConfirmDialog
          title={`Revoke the invitation of ${toRevoke.email}?`}
          action="Revoke invitation"
          onClose={() => setToRevoke(undefined)}
          onConfirm={async () => {
            await api.delete(`${path}/${toRevoke.id}`)
            showToast(`Invitation of ${toRevoke.email} revoked.`)
            await refetchInvitations()
            setToRevoke(undefined)
          }}
        >
          <p>Its link stops working immediately.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}

function Description({ invitation }: { invitation: InvitationRecord }) {
  const { email, role, invited_by, is_mailed, expires_at } = invitation
  return (
    <div>
      <strong>
        <EmailText email={email} />
      </strong>{' '}
      <span class="tag">{roleLabels[role]}</span>
      {role === 'guest' && <SharedNote shares={invitation} />}
      <p class="muted small">
        {invited_by !== null && `Invited by ${invited_by}, `}
        {is_mailed ? 'sent by email' : 'not sent by email'}, expires <DateTime at={expires_at} />
      </p>
    </div>
  )
}
