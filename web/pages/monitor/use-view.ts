/** What the URL of the monitor page selects: the time range, and an incident to show. */
import { useEffect } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { DAY_SECONDS, HOUR_MS } from '../../../src/shared/time.ts'
import { hasResponseTimes } from '../../lib/monitor-types.ts'
import { type ChartWindow, chartWindows, incidentWindows, toIncidentWindow, type useIncidents } from './queries.ts'

const HOUR_SECONDS = 3_600

/** A younger monitor has too few hours for percentiles, so its page starts with single checks. */
const MIN_AGE_FOR_PERCENTILES_MS = 3 * HOUR_MS

interface MonitorView {
  window: ChartWindow
  /** The incident that the URL names, for example after a click on a link in an alert or on a band in a chart. */
  incidentId: number | undefined
  setWindow: (window: ChartWindow, incidentId?: number) => void
}

/** `serverTime` is undefined until the first response. */
export function useMonitorView(monitor: MonitorRecord, serverTime: string | undefined): MonitorView {
  const [params, setParams] = useSearchParams()
  const defaultWindow = chooseDefaultWindow(monitor, serverTime)
  return {
    window: chartWindows.find((name) => name === params.get('window')) ?? defaultWindow,
    incidentId: Number(params.get('incident')) || undefined,
    setWindow: (window, incidentId) =>
      setParams(
        {
          ...(window !== defaultWindow && { window }),
          ...(incidentId !== undefined && { incident: `${incidentId}` }),
        },
        { replace: true },
      ),
  }
}

/**
 * A job that runs once an hour or less often has too few runs in a day for a chart, so its default window is longer.
 */
function chooseDefaultWindow(monitor: MonitorRecord, serverTime: string | undefined): ChartWindow {
  const { type, heartbeat, created_at } = monitor
  const isRareBeat = heartbeat !== null && (heartbeat.period ?? DAY_SECONDS) >= HOUR_SECONDS
  // The generated checks of a sample monitor end when it was created.
  if (!hasResponseTimes(type) || isRareBeat || monitor.is_sample) return '30d'
  return isYoung(created_at, serverTime) ? '1h' : '24h'
}

const isYoung = (createdAt: string, serverTime: string | undefined) =>
  serverTime !== undefined && Date.parse(serverTime) - Date.parse(createdAt) < MIN_AGE_FOR_PERCENTILES_MS

type IncidentSearch = 'none' | 'searching' | 'found' | 'missing'

/** Loads more incidents, and then longer time ranges, until the incident of the URL is listed. */
export function useIncidentSearch(
  { window, incidentId, setWindow }: MonitorView,
  query: ReturnType<typeof useIncidents>,
): IncidentSearch {
  const { data, hasNextPage, isFetching, isPlaceholderData, fetchNextPage } = query
  const longerWindow = incidentWindows[incidentWindows.indexOf(toIncidentWindow(window)) + 1]
  const isFound = data?.pages.some((page) => page.data.some(({ id }) => id === incidentId)) ?? false
  const isLoaded = data !== undefined && !isFetching && !isPlaceholderData
  const isMissing = isLoaded && !isFound && !hasNextPage && longerWindow === undefined
  useEffect(() => {
    if (incidentId === undefined || isFound || isMissing || !isLoaded) return
    if (hasNextPage) void fetchNextPage()
    else if (longerWindow !== undefined) setWindow(longerWindow, incidentId)
  }, [incidentId, isFound, isMissing, isLoaded, hasNextPage, longerWindow])
  if (incidentId === undefined) return 'none'
  return isFound ? 'found' : isMissing ? 'missing' : 'searching'
}
