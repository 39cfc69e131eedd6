import { useState } from 'preact/hooks'
import type { KeyRecord } from '../../../src/keys/schema.ts'
import type { Scope } from '../../../src/shared/scopes.ts'
import { Button } from '../../components/button.tsx'
import { CodeLine } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { publicUrl } from '../../lib/boot.ts'
import { useForm } from '../../lib/use-form.ts'
import { scopeNames, scopeWords } from './scope-labels.ts'

export function NewKeyDialog({ onClose, onCreated }: { onClose: () => void; onCreated: () => void }) {
  const [created, setCreated] = useState<string>()
  const { values, set, submit, busy, problem, errorsOf } = useForm(
    { name: '', scopes: [] as Scope[] },
    async (sent) => {
      const { data } = await api.post<ItemResponse<KeyRecord & { key: string }>>('api/keys', sent)
      setCreated(data.key)
      onCreated()
    },
  )
  if (created !== undefined) return <CreatedKey value={created} onClose={onClose} />

  const toggle = (scope: Scope, isOn: boolean) =>
    set('scopes', isOn ? [...values.scopes, scope] : values.scopes.filter((one) => one !== scope))
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <TextField
          label="Name"
          hint="What it is for, so that you recognise it later."
          autofocus
          required
          maxLength={100}
          value={values.name}
          errors={errorsOf('name')}
          onValue={(name) => set('name', name)}
        />
        <FieldGroup legend="What it may do" errors={errorsOf('scopes') && ['Choose at least one.']}>
          {scopeNames.map((scope) => (
            <CheckField
              key={scope}
              label={scopeWords[scope]}
              hint={<code>{scope}</code>}
              checked={values.scopes.includes(scope)}
              onValue={(isOn) => toggle(scope, isOn)}
            />
          ))}
        </FieldGroup>
        <ProblemNotice problem={problem} shown={['name', 'scopes']} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={busy}>
            Create the key
          </Button>
          <Button kind="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function CreatedKey({ value, onClose }: { value: string; onClose: () => void }) {
  return (
    <Dialog title="Your new key">
      <div class="stack">
        <p>
          Copy it now: <strong>it is shown this once</strong>. We keep only a fingerprint of it.
        </p>
        <CodeLine text={value} label="Copy the key" />
        <p class="muted small">Send it with every request:</p>
        <CodeLine text={`curl -H 'Authorization: Bearer ${value}' ${publicUrl}/api/monitors`} />
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
