/** Alerts about the traffic of a website. Changes are saved at once, because turning the silence watch on can be refused. */
import { keepPreviousData, useQuery } from '@tanstack/preact-query'
import { BellRing } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ReplayRecord } from '../../../src/impact/replay-schema.ts'
import type { MonitorList } from '../../../src/monitors/schema.ts'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { CheckField, SelectField } from '../../components/field.tsx'
import { Section } from '../../components/section.tsx'
import { QueryContent, Skeleton } from '../../components/states.tsx'
import { showToast } from '../../components/toasts.tsx'
import { api, type ItemResponse, toApiProblem, withQuery } from '../../lib/api.ts'
import { formatNumber } from '../../lib/format.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { SilenceReplay } from './silence-replay.tsx'
import './traffic-alerts.css'

type WatchField = 'watch_traffic' | 'watch_spikes' | 'silence_alarms_a_year'

export function TrafficAlertsPanel({ website }: { website: WebsiteRecord }) {
  const { id, watch_traffic, watch_spikes } = website
  const [alarmsAYear, setAlarmsAYear] = useState(website.silence_alarms_a_year)
  const { isSaving, errors, save } = useWatchChanges(id)
  const replay = useReplay(id, alarmsAYear)
  const isRefused = replay.data?.exceeds_budget === true && !watch_traffic

  async function saveAlarmsAYear(value: number) {
    setAlarmsAYear(value)
    const isSaved = await save({ silence_alarms_a_year: value }, 'Limit of false alarms saved.')
    if (!isSaved) setAlarmsAYear(website.silence_alarms_a_year)
  }

  return (
    <Section
      title="Traffic alerts"
      icon={BellRing}
      description="Find out when visits stop although the website responds, or when unusually many arrive."
    >
      <div class="form">
        <CheckField
          label="Alert me when visits stop"
          hint="Belfry learns how many visits each hour of the week usually has. It opens an incident when a gap is too long to be chance."
          isSwitch
          checked={watch_traffic}
          disabled={isSaving || isRefused || (!watch_traffic && replay.isPending)}
          errors={errors.watch_traffic ?? []}
          onValue={(value) =>
            save({ watch_traffic: value }, value ? 'Belfry now watches for silence.' : 'The silence watch is off.')
          }
        />
        <section class="website-settings-preview" aria-label="What the silence watch would have done">
          <h3>{watch_traffic ? 'With the past 12 months' : 'If it had been on'}</h3>
          <QueryContent query={replay} loading={<Skeleton height="6rem" />}>
            {(data) => (
              <div class={replay.isPlaceholderData ? 'replay replay-stale' : 'replay'} aria-live="polite">
                <SilenceReplay replay={data} />
              </div>
            )}
          </QueryContent>
        </section>
        <SelectField
          label="Limit of false alarms"
          hint="For all websites of your account together. With fewer false alarms, Belfry waits longer before it alerts you."
          value={String(alarmsAYear)}
          disabled={isSaving}
          errors={errors.silence_alarms_a_year ?? []}
          choices={listLimits(alarmsAYear)}
          onValue={(value) => void saveAlarmsAYear(Number(value))}
        />
        <CheckField
          label="Alert me about traffic spikes"
          hint="When far more visitors arrive than usual at that hour, and where they come from. At most one alert a day."
          isSwitch
          checked={watch_spikes}
          disabled={isSaving}
          errors={errors.watch_spikes ?? []}
          onValue={(value) => save({ watch_spikes: value }, value ? 'Spike alerts are on.' : 'Spike alerts are off.')}
        />
        {(watch_traffic || watch_spikes) && <MonitorLink website={website} />}
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

function useReplay(websiteId: number, alarmsAYear: number) {
  return useQuery({
    queryKey: queryKeys.silenceReplay(websiteId, alarmsAYear),
    queryFn: async () => {
      const body = { silence_alarms_a_year: alarmsAYear }
      return (await api.post<ItemResponse<ReplayRecord>>(`api/v1/websites/${websiteId}/silence/replay`, body)).data
    },
    placeholderData: keepPreviousData,
    // A year changes little in a minute, and each replay takes the server a moment.
    staleTime: 60_000,
  })
}

function useWatchChanges(id: number) {
  const [isSaving, setSaving] = useState(false)
  const [errors, setErrors] = useState<Partial<Record<WatchField, readonly string[]>>>({})

  /** Returns whether the change was saved. */
  async function save(changes: Partial<Pick<WebsiteRecord, WatchField>>, message: string): Promise<boolean> {
    setSaving(true)
    setErrors({})
    try {
      const { data } = await api.patch<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, changes)
      queryClient.setQueryData(queryKeys.website(id), data)
      void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      void queryClient.invalidateQueries({ queryKey: queryKeys.trafficMonitor(id) })
      showToast(message)
      return true
    } catch (error) {
      const [field] = Object.keys(changes) as [WatchField]
      const problem = toApiProblem(error)
      setErrors(Object.keys(problem.errors).length > 0 ? problem.errors : { [field]: [problem.message] })
      return false
    } finally {
      setSaving(false)
    }
  }

  return { isSaving, errors, save }
}

function MonitorLink({ website: { id, domain } }: { website: WebsiteRecord }) {
  const { data: monitorId } = useQuery({
    queryKey: queryKeys.trafficMonitor(id),
    queryFn: async ({ signal }) => {
      const path = withQuery('api/monitors', { type: 'traffic', search: domain, pageSize: '100' })
      const { data } = await api.get<MonitorList>(path, signal)
      return data.find(({ watched_website_id }) => watched_website_id === id)?.id ?? null
    },
  })
  return (
    <p class="small">
      {monitorId == null ? (
        <span class="muted">Alerts go to the notification channels of its monitor.</span>
      ) : (
        <>
          Alerts go to the notification channels of{' '}
          <Link href={`/monitors/${monitorId}`}>the traffic monitor of {domain}</Link>.
        </>
      )}
    </p>
  )
}
