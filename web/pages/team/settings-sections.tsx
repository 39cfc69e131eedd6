import { ShieldCheck, SlidersHorizontal, Trash2 } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { MAX_TEAM_NAME_LENGTH } from '../../../src/shared/limits.ts'
import type { TeamRecord } from '../../../src/teams/schema.ts'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { type ApiProblem, api, type ItemResponse, toApiProblem } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { ownRoleHints } from '../../lib/role-hints.ts'
import { roleLabels } from '../../lib/role-labels.ts'
import { reloadAllTabs } from '../../lib/sign-out.ts'
import { can } from '../../lib/team.ts'
import { teamPath } from '../../lib/team-queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'

async function saveName(name: string): Promise<string> {
  const { data } = await api.patch<ItemResponse<TeamRecord>>(teamPath, { name })
  queryClient.setQueryData(queryKeys.team, data)
  return data.name
}

export function NameSection({ team }: { team: TeamRecord }) {
  const [saved, setSaved] = useState(team.name)
  const form = useForm({ name: saved }, async ({ name }) => {
    const save = async (text: string) => {
      const savedName = await saveName(text)
      setSaved(savedName)
      form.set('name', savedName)
    }
    await save(name)
    showToast('Team renamed.', { undo: () => void save(saved).catch(showProblem) })
  })
  const isChanged = form.values.name.trim() !== saved
  const guard = useUnsavedGuard(isChanged)
  return (
    <Section
      title="General"
      icon={SlidersHorizontal}
      description={
        <>
          Your role is <strong>{roleLabels[team.role]}</strong>. {ownRoleHints[team.role]}
        </>
      }
    >
      {can('manage') ? (
        <form class="form" onSubmit={form.submit}>
          <TextField
            label="Team name"
            hint="Shown to members and in invitations."
            required
            maxLength={MAX_TEAM_NAME_LENGTH}
            value={form.values.name}
            errors={form.errorsFor('name')}
            onValue={(name) => form.set('name', name)}
          />
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={['name']} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy} disabled={!isChanged}>
              Save changes
            </Button>
            <Button kind="quiet" disabled={!isChanged} onClick={() => form.set('name', saved)}>
              Discard changes
            </Button>
          </div>
          {guard.dialog}
        </form>
      ) : (
        <dl class="team-facts">
          <dt>Team name</dt>
          <dd>{team.name}</dd>
        </dl>
      )}
    </Section>
  )
}

async function setRequirement(isRequired: boolean, isUndo = false): Promise<void> {
  const { data } = await api.patch<ItemResponse<TeamRecord>>(teamPath, { requires_second_factor: isRequired })
  queryClient.setQueryData(queryKeys.team, data)
  const text = isRequired ? 'Members now need a second factor.' : 'A second factor is now optional.'
  showToast(text, isUndo ? {} : { undo: () => void setRequirement(!isRequired, true).catch(showProblem) })
}

export function SecuritySection({ team }: { team: TeamRecord }) {
  /** What the switch shows while the server saves it. If the server refuses, the switch shows the saved setting again. */
  const [chosen, setChosen] = useState<boolean>()
  const [problem, setProblem] = useState<ApiProblem>()
  async function save(isRequired: boolean) {
    setChosen(isRequired)
    setProblem(undefined)
    await setRequirement(isRequired).catch((error) => setProblem(toApiProblem(error)))
    setChosen(undefined)
  }
  return (
    <Section title="Security" icon={ShieldCheck} description="How members prove who they are.">
      <div class="form">
        <CheckField
          label="Require a second factor"
          hint="Members without an authenticator app, a passkey or single sign-on see this team only after they have set one up. API keys keep working."
          isSwitch
          checked={chosen ?? team.requires_second_factor}
          onValue={(isOn) => void save(isOn)}
        />
        {problem && (
          <Notice tone="bad" role="alert">
            {problem.message} {problem.status === 409 && <Link href="/account/security">Security settings</Link>}
          </Notice>
        )}
        <p class="small">
          <Link href="/audit">Audit log: who changed what in this team</Link>
        </p>
      </div>
    </Section>
  )
}

export function DeleteTeamSection({ team }: { team: TeamRecord }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Section title="Delete team" icon={Trash2} isDanger>
      <div class="section-action">
        <p class="muted">
          A team can be deleted when it has no other members, and no websites, monitors, notification channels or status
          pages. This can't be undone.
        </p>
        <Button kind="danger" icon={Trash2} onClick={() => setDeleting(true)}>
          Delete team
        </Button>
      </div>
      {isDeleting && (
        <ConfirmDialog
          title={`Delete ${team.name}?`}
          action="Delete team"
          typeToConfirm={team.name}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await api.delete(teamPath)
            reloadAllTabs()
          }}
        >
          <p>API keys and invitations of the team stop working.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
