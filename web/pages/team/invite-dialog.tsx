import { useState } from 'preact/hooks'
import type { Role } from '../../../src/shared/roles.ts'
import type { InvitationRecord } from '../../../src/teams/invitation-schema.ts'
import { Button } from '../../components/button.tsx'
import { CodeLine } from '../../components/copy-button.tsx'
import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { roleHints } from '../../lib/role-hints.ts'
import { roleLabels } from '../../lib/role-labels.ts'
import { teamPath } from '../../lib/team-queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { listOfferedRoles } from './member-table.tsx'
import { ShareFields, type Shares } from './share-fields.tsx'

interface Created {
  email: string
  url: string
  is_mailed: boolean
  mail_problem: string | null
}

interface InviteDialogProps {
  /** The open invitation that a new one replaces. */
  invitation?: InvitationRecord
  onInvited: () => Promise<void>
  onClose: () => void
}

interface Values extends Shares {
  email: string
  role: Role
}

const toValues = (invitation: InvitationRecord | undefined): Values => ({
  email: invitation?.email ?? '',
  role: invitation?.role ?? 'editor',
  access: invitation?.access ?? 'read',
  website_ids: invitation?.website_ids ?? [],
  status_page_ids: invitation?.status_page_ids ?? [],
})

export function InviteDialog({ invitation, onInvited, onClose }: InviteDialogProps) {
  const [created, setCreated] = useState<Created>()
  const { values, set, setAll, submit, busy, problem, errorsFor } = useForm(
    toValues(invitation),
    async ({ email, role, ...shares }) => {
      const input = { email: email.trim(), role, ...(role === 'guest' && shares) }
      const { data } = await api.post<ItemResponse<Created>>(`${teamPath}/invitations`, input)
      await onInvited()
      setCreated(data)
    },
  )
  if (created !== undefined) return <CreatedInvitation created={created} onClose={onClose} />
  return (
    <Dialog title={invitation ? 'Create a new link' : 'Invite to the team'} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {invitation ? (
          <p class="muted">
            The earlier link for <strong>{invitation.email}</strong> stops working.
          </p>
        ) : (
          <TextField
            label="Email"
            type="email"
            autocomplete="off"
            autofocus
            required
            value={values.email}
            errors={errorsFor('email')}
            onValue={(email) => set('email', email)}
          />
        )}
        <SelectField
          label="Role"
          hint={`${roleHints[values.role]}.`}
          autofocus={invitation !== undefined}
          choices={listOfferedRoles().map((role) => ({ value: role, label: roleLabels[role] }))}
          value={values.role}
          errors={errorsFor('role')}
          onValue={(role) => set('role', role)}
        />
        {values.role === 'guest' && (
          <ShareFields
            shares={values}
            onChange={(change) => setAll((before) => ({ ...before, ...change }))}
            errorsFor={errorsFor}
          />
        )}
        <ProblemNotice
          problem={problem}
          fieldsWithOwnErrors={['role', 'website_ids', 'status_page_ids', ...(invitation ? [] : ['email'])]}
        />
        <DialogActions action={invitation ? 'Create link' : 'Invite'} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** The link is shown only here. */
function CreatedInvitation({ created, onClose }: { created: Created; onClose: () => void }) {
  const { email, url, is_mailed, mail_problem } = created
  return (
    <Dialog title={is_mailed ? 'Invitation sent' : 'Send this link'}>
      <div class="stack">
        {mail_problem !== null && <Notice tone="warn">The email wasn't sent: {mail_problem}</Notice>}
        <p>
          {is_mailed ? (
            <>
              An email with a link is on its way to <strong>{email}</strong>. You can also pass on this link:
            </>
          ) : (
            <>
              Copy the link and send it to <strong>{email}</strong>. It works once, for 48 hours.
            </>
          )}
        </p>
        <CodeLine text={url} label="Copy link" />
        <p class="muted small">The link isn't shown again. Only {email} can join with it.</p>
        <div class="form-actions">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
