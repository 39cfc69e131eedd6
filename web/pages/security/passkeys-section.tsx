import { Fingerprint, Plus } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { MAX_PASSKEY_NAME_LENGTH } from '../../../src/shared/sign-in.ts'
import type { PasskeyRecord } from '../../../src/sign-in/schema.ts'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { Day, RelativeTime } from '../../components/time.tsx'
import { api } from '../../lib/api.ts'
import { type AccountSecurity, openWaitingTeam, refetchSecurity } from '../../lib/security.ts'
import { canUsePasskeys } from '../../lib/sign-in.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { createPasskey } from './create-passkey.ts'
import { PasswordField, toProof } from './password-field.tsx'
import { ProofDialog } from './proof-dialog.tsx'
import { RecoveryCodesDialog } from './recovery-codes-dialog.tsx'

type Task = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: PasskeyRecord } | { kind: 'codes'; codes: string[] }

const UNSUPPORTED = 'Browsers support passkeys only at a host name with https, or at localhost.'

export function PasskeysSection({ security }: { security: AccountSecurity }) {
  const { has_password: hasPassword, passkeys } = security
  const [task, setTask] = useState<Task>()
  const close = () => setTask(undefined)
  const finish = () => {
    close()
    openWaitingTeam()
  }
  const addButton = canUsePasskeys ? (
    <Button icon={Plus} onClick={() => setTask({ kind: 'add' })}>
      Add passkey
    </Button>
  ) : undefined
  return (
    <Section
      title="Passkeys"
      icon={Fingerprint}
      description="Sign in with your fingerprint, face or security key. No password and no code."
    >
      {passkeys.length === 0 ? (
        <div class="section-action">
          <p class="muted">{canUsePasskeys ? 'No passkeys yet.' : UNSUPPORTED}</p>
          {addButton}
        </div>
      ) : (
        <div class="security-list">
          <ul>
            {passkeys.map((passkey) => (
              <li key={passkey.id} class="security-item">
                <Icon icon={Fingerprint} size={18} />
                <div class="security-item-text">
                  <strong>{passkey.name}</strong> {passkey.is_backed_up && <span class="tag">Synced</span>}
                  <p class="muted small">
                    Added <Day at={passkey.created_at} />,{' '}
                    {passkey.last_used_at === null ? (
                      'not used yet'
                    ) : (
                      <>
                        last used <RelativeTime at={passkey.last_used_at} />
                      </>
                    )}
                  </p>
                </div>
                <div class="row">
                  <Button
                    small
                    aria-label={`Rename ${passkey.name}`}
                    onClick={() => setTask({ kind: 'rename', passkey })}
                  >
                    Rename
                  </Button>
                  <Button
                    small
                    kind="danger"
                    aria-label={`Remove ${passkey.name}`}
                    onClick={() => setTask({ kind: 'remove', passkey })}
                  >
                    Remove
                  </Button>
                </div>
              </li>
            ))}
          </ul>
          {addButton === undefined ? <p class="muted small">{UNSUPPORTED}</p> : <div>{addButton}</div>}
        </div>
      )}
      {task?.kind === 'add' && (
        <AddDialog
          hasPassword={hasPassword}
          onClose={close}
          onAdded={(codes) => (codes === null ? finish() : setTask({ kind: 'codes', codes }))}
        />
      )}
      {task?.kind === 'rename' && <RenameDialog passkey={task.passkey} onClose={close} />}
      {task?.kind === 'remove' && (
        <ProofDialog
          title={`Remove ${task.passkey.name}?`}
          action="Remove passkey"
          isDanger
          hasPassword={hasPassword}
          onClose={close}
          onConfirm={async (proof) => {
            await api.delete(`api/account/passkeys/${task.passkey.id}`, proof)
            showToast(`${task.passkey.name} removed.`)
            await refetchSecurity()
            close()
          }}
        >
          <p>You can no longer sign in with it. Delete it on your device, too.</p>
        </ProofDialog>
      )}
      {task?.kind === 'codes' && (
        <RecoveryCodesDialog title="Save your recovery codes" codes={task.codes} onClose={finish} />
      )}
    </Section>
  )
}

interface AddDialogProps {
  hasPassword: boolean
  onAdded: (recoveryCodes: string[] | null) => void
  onClose: () => void
}

function AddDialog({ hasPassword, onAdded, onClose }: AddDialogProps) {
  const form = useForm({ name: suggestName(), current_password: '' }, async ({ name, current_password }) => {
    const codes = await createPasskey(name, toProof(hasPassword, current_password))
    await refetchSecurity()
    showToast(`${name} added.`)
    onAdded(codes)
  })
  return (
    <Dialog title="Add a passkey" onClose={onClose}>
      <form class="form" method="post" onSubmit={form.submit}>
        <p>Your browser then asks where to save the passkey: on this device, on your phone, or on a security key.</p>
        {hasPassword && (
          <PasswordField
            value={form.values.current_password}
            errors={form.errorsFor('current_password')}
            onValue={(password) => form.set('current_password', password)}
          />
        )}
        <NameField
          value={form.values.name}
          errors={form.errorsFor('name')}
          hasFocus={!hasPassword}
          onValue={(name) => form.set('name', name)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['current_password', 'name']} />
        <DialogActions action="Continue" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** A name by which people recognize the device. */
function suggestName(): string {
  const { userAgent } = navigator
  const names = [
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android phone'],
    [/Mac OS/, 'Mac'],
    [/Windows/, 'Windows PC'],
    [/CrOS/, 'Chromebook'],
    [/Linux/, 'Linux PC'],
  ] as const
  return names.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Passkey'
}

function RenameDialog({ passkey, onClose }: { passkey: PasskeyRecord; onClose: () => void }) {
  const form = useForm({ name: passkey.name }, async ({ name }) => {
    await api.patch(`api/account/passkeys/${passkey.id}`, { name })
    await refetchSecurity()
    onClose()
  })
  return (
    <Dialog title={`Rename ${passkey.name}`} onClose={onClose}>
      <form class="form" onSubmit={form.submit}>
        <NameField
          value={form.values.name}
          errors={form.errorsFor('name')}
          hasFocus
          onValue={(name) => form.set('name', name)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['name']} />
        <DialogActions action="Rename" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

interface NameFieldProps {
  value: string
  errors: readonly string[] | undefined
  hasFocus: boolean
  onValue: (name: string) => void
}

const NameField = ({ value, errors, hasFocus, onValue }: NameFieldProps) => (
  <TextField
    label="Name"
    hint="So that you recognize it in this list"
    autocomplete="off"
    autofocus={hasFocus}
    required
    maxLength={MAX_PASSKEY_NAME_LENGTH}
    value={value}
    errors={errors}
    onValue={onValue}
  />
)
