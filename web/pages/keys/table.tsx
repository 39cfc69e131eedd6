import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../src/keys/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { showToast } from '../../lib/toasts.ts'

const describeKey = (name: string | undefined) => (name === undefined ? 'another key' : `the key “${name}”`)

export function KeyTable({ keys, onChange }: { keys: readonly KeyRecord[]; onChange: () => Promise<void> }) {
  const [keyToRevoke, setKeyToRevoke] = useState<KeyRecord>()
  const nameById = new Map(keys.map(({ id, name }) => [id, name]))
  return (
    <div class="panel table-panel table-scroll">
      <table class="table table-cards">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Prefix</th>
            <th scope="col">Permissions</th>
            <th scope="col">Created</th>
            <th scope="col">Last used</th>
            <th scope="col">
              <span class="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <th scope="row">
                {key.name}
                {key.created_by_key !== null && (
                  <div class="muted small">Created with {describeKey(nameById.get(key.created_by_key))}</div>
                )}
              </th>
              <td data-label="Prefix">
                <code>{key.prefix}…</code>
              </td>
              <td data-label="Permissions">
                <div class="row">
                  {key.scopes.map((scope) => (
                    <span key={scope} class="tag">
                      {scope}
                    </span>
                  ))}
                </div>
              </td>
              <td data-label="Created">
                <DateTime at={key.created_at} />
              </td>
              <td data-label="Last used">
                {key.last_used_at === null ? 'Never' : <RelativeTime at={key.last_used_at} />}
              </td>
              <td class="end">
                <Button
                  kind="danger"
                  small
                  icon={Trash2}
                  aria-label={`Revoke ${key.name}`}
                  onClick={() => setKeyToRevoke(key)}
                >
                  Revoke
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {keyToRevoke && (
        <ConfirmDialog
          title={`Revoke ${keyToRevoke.name}?`}
          action="Revoke key"
          onClose={() => setKeyToRevoke(undefined)}
          onConfirm={async () => {
            await api.delete(`api/keys/${keyToRevoke.id}`)
            showToast(`${keyToRevoke.name} revoked.`)
            // Refetch before closing the dialog, so that the focus doesn't return to a row that is about to disappear.
            await onChange()
            setKeyToRevoke(undefined)
          }}
        >
          <p>
            Programs that use this key lose access immediately. Keys created with it are revoked too. This can't be
            undone.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}
