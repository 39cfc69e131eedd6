import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { UserRecord } from '../../../src/accounts/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { EmailText } from '../../components/email-text.tsx'
import { DateTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'
import { showToast } from '../../lib/toasts.ts'
import { RoleTag } from './role-tag.tsx'

export function UserTable({ users, onChange }: { users: readonly UserRecord[]; onChange: () => Promise<void> }) {
  const [userToDelete, setUserToDelete] = useState<UserRecord>()
  const adminCount = users.filter((user) => user.is_admin).length
  const isLastAdmin = (user: UserRecord) => user.is_admin && adminCount === 1
  return (
    <div class="panel table-panel table-scroll">
      <table class="table table-cards">
        <thead>
          <tr>
            <th scope="col">Email</th>
            <th scope="col">Role</th>
            <th scope="col">Added</th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <th scope="row">
                <span class="user-email">
                  <span class="avatar" aria-hidden="true">
                    {user.email.slice(0, 1)}
                  </span>
                  <span>
                    <EmailText email={user.email} /> {user.id === boot.user?.id && <span class="tag">You</span>}
                  </span>
                </span>
              </th>
              <td data-label="Role">
                <RoleTag isAdmin={user.is_admin} />
              </td>
              <td data-label="Added">
                <DateTime at={user.created_at} />
              </td>
              <td class="end">
                {isLastAdmin(user) ? (
                  <span class="muted small">The last admin can't be deleted</span>
                ) : (
                  <Button
                    kind="danger"
                    small
                    icon={Trash2}
                    aria-label={`Delete ${user.email}`}
                    onClick={() => setUserToDelete(user)}
                  >
                    Delete
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {userToDelete && (
        <ConfirmDialog
          title={`Delete ${userToDelete.email}?`}
          action="Delete user"
          typeToConfirm={userToDelete.email}
          onClose={() => setUserToDelete(undefined)}
          onConfirm={async () => {
            await api.delete(`api/users/${userToDelete.id}`)
            // Deleting your own account signs you out.
            if (userToDelete.id === boot.user?.id) return location.assign(document.baseURI)
            showToast(`${userToDelete.email} deleted.`)
            // Refetch before closing the dialog, so that the focus doesn't return to a row that is about to disappear.
            await onChange()
            setUserToDelete(undefined)
          }}
        >
          <p>
            This also deletes the user's API keys, and the teams that have no other members: their websites and traffic,
            monitors and history, notification channels and status pages. This can't be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
