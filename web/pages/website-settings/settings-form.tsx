import { useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { showProblem, showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { ExclusionsPanel } from './exclusions-panel.tsx'
import { PrivacyPanel } from './privacy-panel.tsx'
import { ReportPanel } from './report-panel.tsx'
import { changesOf, valuesOf, withUntouched } from './values.ts'
import './website-settings.css'

const shown = ['favorite', 'time_zone', 'privacy', 'password', 'email', 'exclude_bots', 'exclude_params', 'exclude_ips']

async function save(id: number, changes: object): Promise<WebsiteRecord> {
  const { data } = await api.put<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, changes)
  queryClient.setQueryData(queryKeys.website(id), data)
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  return data
}

export function SettingsForm({ website }: { website: WebsiteRecord }) {
  // What the form began with: a refetch in the background must not count as a change.
  const [known, setKnown] = useState(website)
  const form = useForm(valuesOf(website), async (values) => {
    const before = known
    const changes = changesOf(before, values)
    const saved = await save(website.id, changes)
    setKnown(saved)
    form.setAll(valuesOf(saved))
    const back = changesOf(saved, valuesOf(before))
    const takeBack = (undone: WebsiteRecord) => {
      setKnown(undone)
      form.setAll((now) => withUntouched(now, valuesOf(saved), valuesOf(undone)))
    }
    showToast('Saved.', {
      // A password cannot be brought back: nobody knows it any more.
      ...(!('password' in changes) && { undo: () => void save(website.id, back).then(takeBack, showProblem) }),
    })
  })
  const { values, set, errorsOf } = form
  const isChanged = Object.keys(changesOf(known, values)).length > 0
  const guard = useUnsavedGuard(isChanged)
  return (
    <>
      <form class="stack" onSubmit={form.submit}>
        <Panel title="General">
          <div class="form">
            <CheckField
              label="Favourite"
              hint="On top of the overview."
              checked={values.favorite}
              onValue={(value) => set('favorite', value)}
            />
            <SelectField
              label="Time zone"
              hint="When a day begins in the statistics, and Monday morning for the report."
              value={values.time_zone}
              choices={zoneChoices(known.time_zone)}
              errors={errorsOf('time_zone')}
              onValue={(value) => set('time_zone', value)}
            />
          </div>
        </Panel>
        <PrivacyPanel form={form} hasPassword={known.has_password} domain={website.domain} />
        <ReportPanel form={form} />
        <ExclusionsPanel form={form} website={known} />
        <div class={`website-settings-save${isChanged ? ' is-changed' : ''}`}>
          <ProblemNotice problem={form.problem} shown={shown} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy} disabled={!isChanged}>
              Save
            </Button>
            <Button kind="quiet" disabled={!isChanged} onClick={() => form.setAll(valuesOf(known))}>
              Discard changes
            </Button>
            {!isChanged && <span class="muted">Everything is saved.</span>}
          </div>
        </div>
      </form>
      {guard.dialog}
    </>
  )
}

function zoneChoices(current: string) {
  const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', current])
  return [...zones].sort().map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}
