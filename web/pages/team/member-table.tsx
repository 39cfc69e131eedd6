/** The members of the team, with their roles. Owners and admins change roles and remove members here. */
import { Share2, UserMinus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { type Role, roles } from '../../../src/shared/roles.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EmailText } from '../../components/email-text.tsx'
import { Day } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { roleHints } from '../../lib/role-hints.ts'
import { roleLabels } from '../../lib/role-labels.ts'
import { reloadAllTabs } from '../../lib/sign-out.ts'
import { can } from '../../lib/team.ts'
import { type Member, refetchMembers, teamPath } from '../../lib/team-queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { ShareDialog } from './share-dialog.tsx'
import { SharedNote } from './shared-note.tsx'

type Task = { kind: 'remove' | 'share'; member: Member } | { kind: 'own-role'; member: Member; role: Role }

const isSelf = ({ user_id }: Member) => user_id === boot.user?.id

/** Only owners appoint and change owners. */
const canChange = ({ role }: Member) => can('own') || (can('manage') && role !== 'owner')

async function saveRole(member: Member, role: Role, isUndo = false): Promise<void> {
  const { user_id: id, email, role: before } = member
  await api.patch(`${teamPath}/members/${id}`, { role })
  if (isSelf(member)) return reloadAllTabs()
  await refetchMembers()
  // What was shared with a guest is gone, so their role can't be restored.
  const canUndo = !isUndo && before !== 'guest'
  const undo = () => void saveRole({ ...member, role }, before, true).catch(showProblem)
  showToast(`${email}: ${roleLabels[role].toLowerCase()}.`, canUndo ? { undo } : {})
}

export function MemberTable({ members }: { members: readonly Member[] }) {
  const [task, setTask] = useState<Task>()
  const [busyId, setBusyId] = useState<number>()
  const close = () => setTask(undefined)
  const isLastOwner = ({ role }: Member) => role === 'owner' && members.filter((m) => m.role === 'owner').length === 1

  async function changeRole(member: Member, role: Role) {
    if (role === 'guest') return setTask({ kind: 'share', member })
    if (isSelf(member)) return setTask({ kind: 'own-role', member, role })
    setBusyId(member.user_id)
    await saveRole(member, role).catch(showProblem)
    setBusyId(undefined)
  }

  return (
    <>
      <table class="table table-cards team-table">
        <thead>
          <tr>
            <th scope="col">Email</th>
            <th scope="col">Role</th>
            <th scope="col">Joined</th>
            {can('manage') && (
              <th scope="col">
                <span class="hidden-text">Actions</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.user_id}>
              <th scope="row">
                <span class="team-person">
                  <span class="avatar" aria-hidden="true">
                    {[...member.email][0]}
                  </span>
                  <span>
                    <EmailText email={member.email} /> {isSelf(member) && <span class="tag">You</span>}
                    {member.role === 'guest' && <SharedNote shares={member} />}
                  </span>
                </span>
              </th>
              <td data-label="Role">
                {canChange(member) && !isLastOwner(member) ? (
                  <RoleSelect
                    // The select shows the saved role again if the user cancels a dialog.
                    key={`${member.role} ${task === undefined}`}
                    member={member}
                    isBusy={busyId === member.user_id}
                    onRole={(role) => void changeRole(member, role)}
                  />
                ) : (
                  <span title={isLastOwner(member) ? 'A team needs an owner.' : undefined}>
                    {roleLabels[member.role]}
                  </span>
                )}
              </td>
              <td data-label="Joined">
                <Day at={member.joined_at} />
              </td>
              {can('manage') && (
                <td class="end">
                  <div class="team-actions">
                    {member.role === 'guest' && (
                      <Button
                        small
                        icon={Share2}
                        aria-label={`Choose what ${member.email} can see`}
                        onClick={() => setTask({ kind: 'share', member })}
                      >
                        Share
                      </Button>
                    )}
                    {canChange(member) && !isSelf(member) && (
                      <Button
                        kind="danger"
                        small
                        icon={UserMinus}
                        aria-label={`Remove ${member.email}`}
                        onClick={() => setTask({ kind: 'remove', member })}
                      >
                        Remove
                      </Button>
                    )}
                  </div>
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {task?.kind === 'share' && <ShareDialog member={task.member} onClose={close} />}
      {task?.kind === 'remove' && <RemoveDialog member={task.member} onClose={close} />}
      {task?.kind === 'own-role' && (
        <ConfirmDialog
          title={`Change your own role to ${roleLabels[task.role].toLowerCase()}?`}
          action="Change my role"
          onClose={close}
          onConfirm={() => saveRole(task.member, task.role)}
        >
          <p>
            You can't change it back yourself.{' '}
            {task.member.role === 'owner' ? 'Another owner has to.' : 'An owner or another admin has to.'}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

interface RoleSelectProps {
  member: Member
  isBusy: boolean
  onRole: (role: Role) => void
}

function RoleSelect({ member: { email, role }, isBusy, onRole }: RoleSelectProps) {
  return (
    <select
      class="input team-role"
      aria-label={`Role of ${email}`}
      title={roleHints[role]}
      value={role}
      disabled={isBusy}
      onChange={(event) => onRole(event.currentTarget.value as Role)}
    >
      {listOfferedRoles().map((each) => (
        <option key={each} value={each}>
          {roleLabels[each]}
        </option>
      ))}
    </select>
  )
}

/** Only owners appoint owners. */
export const listOfferedRoles = () => roles.filter((role) => role !== 'owner' || can('own'))

function RemoveDialog({ member: { user_id: id, email }, onClose }: { member: Member; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Remove ${email}?`}
      action="Remove member"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`${teamPath}/members/${id}`)
        showToast(`${email} removed.`)
        // Refetch before closing the dialog, so that the focus doesn't return to a row that is about to disappear.
        await refetchMembers()
        onClose()
      }}
    >
      <p>
        They lose access to this team immediately, and their API keys in it stop working. What they created stays in the
        team.
      </p>
    </ConfirmDialog>
  )
}
