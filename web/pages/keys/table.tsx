import { Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../src/keys/schema.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Day, RelativeTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { pluralize } from '../../lib/format.ts'
import { showToast } from '../../lib/toasts.ts'
import './keys.css'

/** The row of a key that expires within this time stands out. */
const EXPIRES_SOON_MS = 14 * DAY_MS

const describeKey = (name: string | undefined) => (name === undefined ? 'another key' : `the key “${name}”`)

export function KeyTable({ keys, onChange }: { keys: readonly KeyRecord[]; onChange: () => Promise<void> }) {
  const [keyToRevoke, setKeyToRevoke] = useState<KeyRecord>()
  const nameById = new Map(keys.map(({ id, name }) => [id, name]))
  return (
    <div class="panel table-panel table-scroll">
      <table class="table table-cards key-table">
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
                {key.user_email !== undefined && <div class="muted small">Key of {key.user_email}</div>}
                <Limits apiKey={key} />
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
                <Day at={key.created_at} />
              </td>
              <td data-label="Last used">
                {key.last_used_at === null ? 'Never' : <RelativeTime at={key.last_used_at} />}
                {key.last_used_ip !== undefined && <div class="muted small">from {key.last_used_ip}</div>}
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

/** How many addresses a row lists. */
const MAX_LISTED_ADDRESSES = 2

function Limits({ apiKey: { expires_at: expiresAt, allowed_ips: addresses } }: { apiKey: KeyRecord }) {
  const hiddenCount = (addresses?.length ?? 0) - MAX_LISTED_ADDRESSES
  return (
    <>
      {expiresAt !== undefined && <Expiry at={expiresAt} />}
      {addresses !== undefined && (
        <div class="muted small" title={addresses.join('\n')}>
          Only from {addresses.slice(0, MAX_LISTED_ADDRESSES).join(', ')}
          {hiddenCount > 0 && ` and ${pluralize(hiddenCount, 'more range')}`}
        </div>
      )}
    </>
  )
}

function Expiry({ at }: { at: string }) {
  const remainingMs = Date.parse(at) - Date.now()
  if (remainingMs <= 0) {
    return (
      <span class="tag key-expired">
        Expired <Day at={at} />
      </span>
    )
  }
  return (
    <div class={remainingMs < EXPIRES_SOON_MS ? 'small key-expires-soon' : 'muted small'}>
      Expires <Day at={at} />
    </div>
  )
}
