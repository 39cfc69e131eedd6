import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../src/keys/schema.ts'
import { MAX_KEY_NAME_LENGTH } from '../../../src/shared/limits.ts'
import type { Scope } from '../../../src/shared/scopes.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import { Button } from '../../components/button.tsx'
import { CodeLine } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { CheckField, SelectField, TextAreaField, TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { publicUrl } from '../../lib/boot.ts'
import { roleLabels } from '../../lib/role-labels.ts'
import { can, currentRole } from '../../lib/team.ts'
import { useForm } from '../../lib/use-form.ts'
import { chooseSampleRequest } from './choose-sample-request.ts'
import './keys.css'

/** In days. */
type Expiry = 'never' | '30' | '90' | '365'

const expiryChoices: readonly { value: Expiry; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

export function NewKeyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [createdKey, setCreatedKey] = useState<string>()
  const { values, set, submit, busy, problem, errorsFor } = useForm(
    { name: '', scopes: [] as Scope[], expiry: 'never' as Expiry, addresses: '' },
    async ({ name, scopes, expiry, addresses }) => {
      const allowedIps = addresses.split('\n').filter((line) => line.trim() !== '')
      const input = {
        name,
        scopes,
        ...(expiry !== 'never' && { expires_at: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() }),
        ...(allowedIps.length > 0 && { allowed_ips: allowedIps }),
      }
      const { data } = await api.post<ItemResponse<KeyRecord & { key: string }>>('api/keys', input)
      setCreatedKey(data.key)
      onCreated()
    },
  )
  if (createdKey !== undefined) return <CreatedKey apiKey={createdKey} scopes={values.scopes} onClose={onClose} />

  const toggle = (scope: Scope, isSelected: boolean) =>
    set('scopes', isSelected ? [...values.scopes, scope] : values.scopes.filter((selected) => selected !== scope))
  return (
    <Dialog title="Create API key" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Name"
          hint="For example, the name of the app or script that uses it"
          autofocus
          required
          maxLength={MAX_KEY_NAME_LENGTH}
          value={values.name}
          errors={errorsFor('name')}
          onValue={(name) => set('name', name)}
        />
        <FieldGroup legend="Permissions" errors={errorsFor('scopes') && ['Select at least one permission.']}>
          <div class="key-scopes">
            {scopeOrder.map((scope) => (
              <CheckField
                key={scope}
                label={scopeLabels[scope]}
                hint={<code>{scope}</code>}
                checked={values.scopes.includes(scope)}
                onValue={(isSelected) => toggle(scope, isSelected)}
              />
            ))}
          </div>
        </FieldGroup>
        {!can('edit') && (
          <p class="muted small">
            Your role is {roleLabels[currentRole]}, so the key can only read, whatever you select.
          </p>
        )}
        <SelectField
          label="Expires"
          choices={expiryChoices}
          value={values.expiry}
          errors={errorsFor('expires_at')}
          onValue={(expiry) => set('expiry', expiry)}
        />
        <TextAreaField
          label="Allowed IP addresses"
          hint="Optional. One address or CIDR range per line. If empty, the key works from everywhere."
          placeholder="203.0.113.0/24"
          rows={2}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          value={values.addresses}
          errors={errorsFor('allowed_ips')}
          onValue={(addresses) => set('addresses', addresses)}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['name', 'scopes', 'expires_at', 'allowed_ips']} />
        <DialogActions action="Create key" busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

function CreatedKey({ apiKey, scopes, onClose }: { apiKey: string; scopes: readonly Scope[]; onClose: () => void }) {
  return (
    <Dialog title="API key created">
      <div class="stack">
        <p>
          Copy the key now. <strong>You won't be able to see it again</strong>, because Belfry stores only its hash.
        </p>
        <CodeLine text={apiKey} label="Copy key" />
        <p class="muted small">Send the key with every request:</p>
        <CodeLine text={chooseSampleRequest(scopes, { url: publicUrl, apiKey })} />
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I've copied it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** The scopes in the order in which the form lists them. */
const scopeLabels: Record<Scope, string> = {
  'websites:read': 'View websites and statistics',
  'websites:write': 'Add, edit and delete websites',
  'monitors:read': 'View monitors, checks and incidents',
  'monitors:write': 'Add, edit, check and delete monitors',
  'providers:read': 'View notification channels',
  'providers:write': 'Add, edit, test and delete notification channels',
  'status:read': 'View status pages, their posts and subscribers',
  'status:write': 'Add, edit and delete status pages, their posts and subscribers',
}

const scopeOrder = Object.keys(scopeLabels) as Scope[]
