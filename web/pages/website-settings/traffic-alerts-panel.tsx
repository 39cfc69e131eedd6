/** Alerts about the traffic of a website. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { BellRing } from 'lucide-preact'
import { Link } from 'wouter-preact'
import type { ReplayRecord } from '../../../src/impact/replay/schema.ts'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { MAX_QUIET_DAYS } from '../../../src/shared/websites.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { api, type ItemResponse, type ListResponse, withQuery } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { queryKeys } from '../../lib/queries.ts'
import type { Form } from '../../lib/use-form.ts'
import { MissingReplay } from './missing-replay.tsx'
import { addSuggestedDays } from './quiet-day-ranges.ts'
import { QuietDays } from './quiet-days.tsx'
import { describeRefusal } from './replay-words.ts'
import { SilenceReplay } from './silence-replay.tsx'
import type { SettingsValues } from './values.ts'
import './traffic-alerts.css'

interface TrafficAlertsPanelProps {
  form: Form<SettingsValues>
  /** The saved website. */
  website: WebsiteRecord
}

export function TrafficAlertsPanel({ form: { values, set, errorsFor }, website }: TrafficAlertsPanelProps) {
  const { watch_traffic: hasStopAlerts, silence_alarms_a_year: alarmsAYear, quiet_days: quietDays, holidays } = values
  // Shows what the alerts would have done with the settings in the form, before they are saved.
  const replay = useReplay(website.id, { silence_alarms_a_year: alarmsAYear, quiet_days: quietDays, holidays })
  const isRefused = replay.data?.exceeds_budget === true
  function addSuggestion({ suggested_quiet_days: days, suggested_holidays: country }: ReplayRecord) {
    set('quiet_days', addSuggestedDays(quietDays, days, MAX_QUIET_DAYS))
    if (holidays === null) set('holidays', country)
  }
  return (
    <Section
      title="Traffic alerts"
      icon={BellRing}
      description="Find out when visits stop, even if the website responds, or when unusually many arrive."
    >
      <div class="form">
        <CheckField
          label="Alert me when visits stop"
          hint="Belfry learns how many visits each hour of the week usually has. It opens an incident when a gap between visits is too long to be chance."
          isSwitch
          checked={hasStopAlerts}
          disabled={!hasStopAlerts && (isRefused || replay.isPending)}
          errors={describeRefusal(errorsFor('watch_traffic'))}
          onValue={(value) => set('watch_traffic', value)}
        />
        <SelectField
          label="False alarms allowed"
          hint="For all websites of your team together. If you allow fewer, Belfry waits longer before it alerts you."
          value={String(alarmsAYear)}
          errors={describeRefusal(errorsFor('silence_alarms_a_year'))}
          choices={listLimits(alarmsAYear)}
          onValue={(value) => set('silence_alarms_a_year', Number(value))}
        />
        <QuietDays
          days={quietDays}
          holidays={holidays}
          dayErrors={errorsFor('quiet_days') ?? []}
          holidayErrors={errorsFor('holidays') ?? []}
          onDays={(days) => set('quiet_days', days)}
          onHolidays={(country) => set('holidays', country)}
        />
        <section class="website-settings-preview" aria-label="Replay of alerts about stopped visits">
          <h3>Replay: what you would have received</h3>
          <QueryContent query={replay} loading={<Skeleton height="9rem" />}>
            {(data) => (
              <div class={replay.isPlaceholderData ? 'replay replay-stale' : 'replay'} aria-live="polite">
                {data.basis === null ? (
                  <SilenceReplay replay={data} hasStopAlerts={hasStopAlerts} onSuggestion={() => addSuggestion(data)} />
                ) : (
                  <MissingReplay website={website} basis={data.basis} hasStopAlerts={hasStopAlerts} />
                )}
              </div>
            )}
          </QueryContent>
        </section>
        <CheckField
          label="Alert me about traffic spikes"
          hint="When far more visitors arrive than usual at that hour. The alert says where they come from. At most one alert a day."
          isSwitch
          checked={values.watch_spikes}
          errors={errorsFor('watch_spikes') ?? []}
          onValue={(value) => set('watch_spikes', value)}
        />
        {/* The server creates the monitor when it saves the change. */}
        {(website.watch_traffic || website.watch_spikes) && <MonitorLink website={website} />}
      </div>
    </Section>
  )
}

const limits = [0.1, 0.5, 1, 2, 4, 12]

function listLimits(current: number) {
  const values = limits.includes(current) ? limits : [...limits, current].sort((one, other) => one - other)
  return values.map((value) => ({ value: String(value), label: describeLimit(value) }))
}

function describeLimit(aYear: number): string {
  if (aYear === 1) return 'One a year'
  if (aYear === 12) return 'One a month'
  return aYear < 1 ? `One in ${formatNumber(Math.round(10 / aYear) / 10)} years` : `${formatNumber(aYear)} a year`
}

function useReplay(
  websiteId: number,
  settings: Pick<SettingsValues, 'silence_alarms_a_year' | 'quiet_days' | 'holidays'>,
) {
  return useQuery({
    queryKey: queryKeys.silenceReplay(websiteId, settings),
    queryFn: async () =>
      (await api.post<ItemResponse<ReplayRecord>>(`api/v1/websites/${websiteId}/silence/replay`, settings)).data,
    placeholderData: keepPreviousData,
    // The replay of a year hardly changes within a minute, and computing it takes the server a moment.
    staleTime: 60_000,
  })
}

function MonitorLink({ website: { id, domain } }: { website: WebsiteRecord }) {
  const { data: monitorId } = useQuery({
    queryKey: queryKeys.trafficMonitor(id),
    queryFn: async ({ signal }) => {
      const path = withQuery('api/monitors', { type: 'traffic', search: domain, pageSize: '100' })
      const { data } = await api.get<ListResponse<MonitorRecord>>(path, signal)
      return data.find(({ watched_website_id }) => watched_website_id === id)?.id ?? null
    },
  })
  const text = `the traffic monitor of ${domain}`
  return (
    <p class="small website-settings-address">
      Alerts go to the notification channels of{' '}
      {monitorId == null ? text : <Link href={`/monitors/${monitorId}`}>{text}</Link>}.
    </p>
  )
}
