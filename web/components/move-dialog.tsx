/** Asks for the team to which a website or monitor moves. */
import { render } from 'preact'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../lib/api.ts'
import { basePath } from '../lib/boot.ts'
import { queryClient, queryKeys, updateCachedOverview } from '../lib/queries.ts'
import { currentTeamName, switchTeam } from '../lib/team.ts'
import { showProblem, showToast } from '../lib/toasts.ts'
import { useForm } from '../lib/use-form.ts'
import { Dialog, DialogActions } from './dialog.tsx'
import { SelectField } from './field.tsx'
import { ProblemNotice } from './problem-notice.tsx'

export interface Movable {
  kind: 'monitor' | 'website'
  id: number
  name: string
  /** The path of its page. Its other pages are below it. */
  path: string
}

interface Team {
  id: number
  name: string
}

let container: HTMLElement | undefined

/** The palette closes before its actions run, so the dialog isn't part of the palette or of a page. */
export function showMoveDialog(thing: Movable, teams: readonly Team[]): void {
  if (container !== undefined) return
  container = document.body.appendChild(document.createElement('div'))
  render(<MoveDialog thing={thing} teams={teams} onClose={hideMoveDialog} />, container)
}

function hideMoveDialog(): void {
  if (container === undefined) return
  render(null, container)
  container.remove()
  container = undefined
}

interface MoveDialogProps {
  thing: Movable
  teams: readonly Team[]
  onClose: () => void
}

function MoveDialog({ thing, teams, onClose }: MoveDialogProps) {
  const { kind, id, name } = thing
  const form = useForm({ team: `${teams[0]?.id}` }, async ({ team }) => {
    const path = kind === 'monitor' ? `api/monitors/${id}/move` : `api/v1/websites/${id}/move`
    const teamId = Number(team)
    await api.post(path, { team_id: teamId })
    onClose()
    const teamName = teams.find((other) => other.id === teamId)?.name
    showToast(`${name} moved to ${teamName}.`, {
      action: { label: `Switch to ${teamName}`, run: () => void switchTeam(teamId).catch(showProblem) },
    })
    leave(thing)
  })
  return (
    <Dialog title={`Move ${name} to another team`} onClose={onClose}>
      <form class="form" onSubmit={form.submit}>
        {kind === 'monitor' ? (
          <p class="muted">
            Its settings and its history come along. Its notification channels, status pages, maintenances and
            dependencies in {currentTeamName} don't, so choose its channels again after the move.
          </p>
        ) : (
          <p class="muted">
            Its statistics, settings and traffic alerts come along. Its monitors and the notification channels of its
            alerts stay in {currentTeamName}, and guests lose access.
          </p>
        )}
        <SelectField
          label="Team"
          choices={teams.map((team) => ({ value: `${team.id}`, label: team.name }))}
          autofocus
          value={form.values.team}
          errors={form.errorsFor('team_id')}
          onValue={(team) => form.set('team', team)}
        />
        <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['team_id']} />
        <DialogActions action="Move" busy={form.busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}

/** The current team no longer has the website or monitor, so its pages are left, and the lists omit it. */
function leave({ kind, id, path }: Movable): void {
  if (`${location.pathname}/`.startsWith(`${basePath}${path}/`)) {
    navigate(`${basePath}${kind === 'monitor' ? '/monitors' : '/'}`, { replace: true })
  }
  const isOther = (other: { id: number }) => other.id !== id
  updateCachedOverview((overview) =>
    kind === 'monitor'
      ? { ...overview, monitors: overview.monitors.filter(isOther) }
      : { ...overview, websites: overview.websites.filter(isOther) },
  )
  queryClient.removeQueries({ queryKey: kind === 'monitor' ? queryKeys.monitor(id) : queryKeys.website(id) })
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
}
