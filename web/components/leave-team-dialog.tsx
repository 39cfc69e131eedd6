import { api } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { reloadAllTabs } from '../lib/sign-out.ts'
import { teamPath } from '../lib/team-queries.ts'
import { ConfirmDialog } from './dialog.tsx'

export function LeaveTeamDialog({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={`Leave ${name}?`}
      action="Leave team"
      onClose={onClose}
      onConfirm={async () => {
        await api.delete(`${teamPath}/members/${boot.user?.id}`)
        reloadAllTabs()
      }}
    >
      <p>
        You lose access to everything in this team, and your API keys in it stop working. To come back, you need an
        invitation.
      </p>
    </ConfirmDialog>
  )
}
