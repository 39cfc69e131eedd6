import { SlidersHorizontal } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { Section } from '../../components/section.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import { TimeZoneField } from '../../components/time-zone-field.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { ExclusionsPanel } from './exclusions-panel.tsx'
import { PrivacyPanel } from './privacy-panel.tsx'
import { ReportPanel } from './report-panel.tsx'
import { TrafficAlertsPanel } from './traffic-alerts-panel.tsx'
import { keepEdits, pickChangedFields, toSettingsValues } from './values.ts'
import './website-settings.css'

const formFields = [
  'favorite',
  'time_zone',
  'tags',
  'privacy',
  'password',
  'email',
  'exclude_bots',
  'exclude_params',
  'exclude_ips',
  'watch_traffic',
  'watch_spikes',
  'silence_alarms_a_year',
  'quiet_days',
  'holidays',
]

async function save(id: number, changes: object): Promise<WebsiteRecord> {
  const { data } = await api.put<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, changes)
  queryClient.setQueryData(queryKeys.website(id), data)
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  // The server creates or removes the traffic monitor together with the alerts.
  void queryClient.invalidateQueries({ queryKey: queryKeys.trafficMonitor(id) })
  return data
}

export function SettingsForm({ website }: { website: WebsiteRecord }) {
  // The saved state that edits are compared with. A background refetch must not look like an edit.
  const [savedWebsite, setSavedWebsite] = useState(website)
  const form = useForm(toSettingsValues(website), async (values) => {
    const before = savedWebsite
    const changes = pickChangedFields(before, values)
    const newWebsite = await save(website.id, changes)
    setSavedWebsite(newWebsite)
    form.setAll(toSettingsValues(newWebsite))
    const reverseChanges = pickChangedFields(newWebsite, toSettingsValues(before))
    const applyUndo = (restoredWebsite: WebsiteRecord) => {
      setSavedWebsite(restoredWebsite)
      form.setAll((current) => keepEdits(current, toSettingsValues(newWebsite), toSettingsValues(restoredWebsite)))
    }
    showToast('Settings saved.', {
      // A password change can't be undone, because the old password isn't known.
      ...(!('password' in changes) && {
        undo: () => void save(website.id, reverseChanges).then(applyUndo, showProblem),
      }),
    })
  })
  const { values, set, errorsFor } = form
  const isChanged = Object.keys(pickChangedFields(savedWebsite, values)).length > 0
  const guard = useUnsavedGuard(isChanged)
  return (
    <>
      <form class="sections" onSubmit={form.submit}>
        <Section
          title="General"
          icon={SlidersHorizontal}
          description="How the website is listed, and when its days begin."
        >
          <div class="form">
            <CheckField
              label="Favorite"
              hint="Listed first on the overview."
              isSwitch
              checked={values.favorite}
              onValue={(value) => set('favorite', value)}
            />
            <TimeZoneField
              label="Time zone"
              hint="Used for daily statistics and for the time the weekly report is sent."
              value={values.time_zone}
              errors={errorsFor('time_zone')}
              onValue={(value) => set('time_zone', value)}
            />
            <TagInput
              label="Tags"
              hint="Use tags to find and filter websites on the overview. Press Enter after each tag."
              value={values.tags}
              errors={errorsFor('tags')}
              onValue={(value) => set('tags', value)}
            />
          </div>
        </Section>
        <PrivacyPanel form={form} hasPassword={savedWebsite.has_password} domain={website.domain} />
        <ReportPanel form={form} />
        <ExclusionsPanel form={form} website={savedWebsite} />
        {!website.is_sample && <TrafficAlertsPanel form={form} website={savedWebsite} />}
        <div class={isChanged ? 'form-bar' : 'form-saved'}>
          <ProblemNotice problem={form.problem} fieldsWithOwnErrors={formFields} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy} disabled={!isChanged}>
              Save changes
            </Button>
            <Button kind="quiet" disabled={!isChanged} onClick={() => form.setAll(toSettingsValues(savedWebsite))}>
              Discard changes
            </Button>
            {!isChanged && <span class="muted small">No unsaved changes</span>}
          </div>
        </div>
      </form>
      {guard.dialog}
    </>
  )
}
