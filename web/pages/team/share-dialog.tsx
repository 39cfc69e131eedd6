import { Dialog, DialogActions } from '../../components/dialog.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api } from '../../lib/api.ts'
import { type Member, refetchMembers, teamPath } from '../../lib/team-queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { ShareFields, type Shares } from './share-fields.tsx'

/** Makes the member a guest, or changes what a guest can see. */
export function ShareDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const { user_id: id, email, role, access, website_ids, status_page_ids } = member
  const initial: Shares = {
    access: access ?? 'read',
    website_ids: website_ids ?? [],
    status_page_ids: status_page_ids ?? [],
  }
  const { values, setAll, submit, busy, problem, errorsFor } = useForm(initial, async (shares) => {
    await api.patch(`${teamPath}/members/${id}`, { role: 'guest', ...shares })
    await refetchMembers()
    showToast(role === 'guest' ? `Saved what ${email} can see.` : `${email}: guest.`)
    onClose()
  })
  return (
    <Dialog title={role === 'guest' ? `Share with ${email}` : `Make ${email} a guest`} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p class="muted">Guests see only the websites and status pages that you choose, and none of the people.</p>
        <ShareFields
          shares={values}
          onChange={(change) => setAll((before) => ({ ...before, ...change }))}
          errorsFor={errorsFor}
        />
        <ProblemNotice problem={problem} fieldsWithOwnErrors={['website_ids', 'status_page_ids']} />
        <DialogActions action={role === 'guest' ? 'Save' : 'Make guest'} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
