/**
 * Saves each change of a website's traffic alerts immediately, because the server can refuse to turn on the alert about
 * stopped visits.
 */
import { notifyManager } from '@tanstack/preact-query'
import { useRef, useState } from 'preact/hooks'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { api, type ItemResponse, toApiProblem } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'

type TrafficAlertSettings = Pick<
  WebsiteRecord,
  'watch_traffic' | 'watch_spikes' | 'silence_alarms_a_year' | 'quiet_days' | 'holidays'
>
type TrafficAlertErrors = Partial<Record<keyof TrafficAlertSettings, readonly string[]>>

/**
 * `settings` are the settings that the user has chosen, including those that are still being saved. The controls stay
 * enabled during that time, because a disabled control loses the focus. Changes are saved one after the other, so that
 * the last one wins.
 */
export function useTrafficAlertChanges(website: WebsiteRecord) {
  const { id } = website
  const [unsavedChanges, setUnsaved] = useState<readonly Partial<TrafficAlertSettings>[]>([])
  const [errors, setErrors] = useState<TrafficAlertErrors>({})
  const lastSave = useRef(Promise.resolve())

  function save(changes: Partial<TrafficAlertSettings>, message: string): void {
    setUnsaved((current) => [...current, changes])
    setErrors({})
    lastSave.current = lastSave.current.then(async () => {
      try {
        const { data } = await api.patch<ItemResponse<WebsiteRecord>>(`api/v1/websites/${id}`, changes)
        // A request for the website that was sent before the change would otherwise bring back the previous settings.
        await queryClient.cancelQueries({ queryKey: queryKeys.website(id), exact: true })
        queryClient.setQueryData(queryKeys.website(id), data)
        void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
        void queryClient.invalidateQueries({ queryKey: queryKeys.trafficMonitor(id) })
        showToast(message)
      } catch (error) {
        const [field] = Object.keys(changes) as [keyof TrafficAlertSettings]
        const problem = toApiProblem(error)
        setErrors(Object.keys(problem.errors).length > 0 ? problem.errors : { [field]: [problem.message] })
      }
      // The query client passes the saved website to the page in a later task. Removing the changes before that would
      // show the previous settings for a moment.
      notifyManager.schedule(() => setUnsaved((current) => current.filter((other) => other !== changes)))
    })
  }

  return { settings: Object.assign(pickSettings(website), ...unsavedChanges) as TrafficAlertSettings, errors, save }
}

const pickSettings = (website: WebsiteRecord): TrafficAlertSettings => ({
  watch_traffic: website.watch_traffic,
  watch_spikes: website.watch_spikes,
  silence_alarms_a_year: website.silence_alarms_a_year,
  quiet_days: website.quiet_days,
  holidays: website.holidays,
})
