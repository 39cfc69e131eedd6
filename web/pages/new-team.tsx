import { MAX_TEAM_NAME_LENGTH } from '../../src/shared/limits.ts'
import type { TeamRecord } from '../../src/teams/schema.ts'
import { Button, ButtonLink } from '../components/button.tsx'
import { TextField } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { ProblemNotice } from '../components/problem-notice.tsx'
import { useUnsavedGuard } from '../components/use-unsaved-guard.tsx'
import { api, type ItemResponse } from '../lib/api.ts'
import { switchTeam } from '../lib/team.ts'
import { useForm } from '../lib/use-form.ts'

export default function NewTeamPage() {
  const form = useForm({ name: '' }, async (input) => {
    const { data } = await api.post<ItemResponse<TeamRecord>>('api/teams', input)
    await switchTeam(data.id)
  })
  const { values, set, submit, busy, problem, errorsFor } = form
  const guard = useUnsavedGuard(values.name.trim() !== '' && !busy)
  return (
    <Page title="Create team" isNarrow>
      <div class="stack">
        <p class="muted">
          A team shares websites, monitors, notification channels and status pages. You become its owner, and can invite
          others.
        </p>
        <form class="panel form" onSubmit={submit}>
          <TextField
            label="Name"
            hint="For example, the name of your company or project"
            autocomplete="organization"
            autofocus
            required
            maxLength={MAX_TEAM_NAME_LENGTH}
            value={values.name}
            errors={errorsFor('name')}
            onValue={(name) => set('name', name)}
          />
          <ProblemNotice problem={problem} fieldsWithOwnErrors={['name']} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={busy}>
              Create team
            </Button>
            <ButtonLink kind="quiet" to="/team">
              Cancel
            </ButtonLink>
          </div>
        </form>
        {guard.dialog}
      </div>
    </Page>
  )
}
