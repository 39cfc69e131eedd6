import { useState } from 'preact/hooks'
import type { UserRecord } from '../../../src/accounts/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/time.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api } from '../../lib/api.ts'
import { boot } from '../../lib/boot.ts'

export function UserTable({ users, onChange }: { users: readonly UserRecord[]; onChange: () => Promise<void> }) {
  const [deleting, setDeleting] = useState<UserRecord>()
  const administrators = users.filter((user) => user.is_admin).length
  const isLast = (user: UserRecord) => user.is_admin && administrators === 1
  return (
    <div class="panel table-scroll">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">E-mail</th>
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
                {user.email} {user.id === boot.user?.id && <span class="tag">you</span>}
              </th>
              <td>{user.is_admin ? 'Administrator' : 'User'}</td>
              <td>
                <Moment at={user.created_at} />
              </td>
              <td class="end">
                {isLast(user) ? (
                  <span class="muted small">The last administrator stays</span>
                ) : (
                  <Button kind="danger" small aria-label={`Delete ${user.email}`} onClick={() => setDeleting(user)}>
                    Delete
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {deleting && (
        <ConfirmDialog
          title={`Delete ${deleting.email}`}
          action="Delete the user"
          typeToConfirm={deleting.email}
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await api.delete(`api/users/${deleting.id}`)
            // Whoever deletes themselves is signed out with it.
            if (deleting.id === boot.user?.id) return location.assign(document.baseURI)
            showToast(`${deleting.email} is deleted.`)
            // Before the question goes: then the focus does not go back to a row that is about to go.
            await onChange()
            setDeleting(undefined)
          }}
        >
          <p>
            Everything that is theirs goes too: websites with their traffic, monitors with their history, providers and
            keys. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
