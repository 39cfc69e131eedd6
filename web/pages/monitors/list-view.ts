/** Search, filters and sort order of the monitor list, which the URL's query string holds. */
import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { monitorTypes } from '../../../src/shared/monitors.ts'
import { userLanguages } from '../../lib/languages.ts'
import { getResponseMs } from '../../lib/monitor-types.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { hasAllTags, mergeTags } from '../../lib/tags.ts'
import { hasUptimePercent } from '../../lib/uptime-text.ts'

export const statusFilters = ['all', 'up', 'down', 'paused'] as const
export type StatusFilter = (typeof statusFilters)[number]
export const typeFilters = ['all', ...monitorTypes] as const
export type TypeFilter = (typeof typeFilters)[number]
export const sortOrders = ['status', 'name', 'uptime', 'response'] as const
export type SortOrder = (typeof sortOrders)[number]

export interface MonitorListOptions {
  /** The search text, named like its URL parameter. */
  q: string
  status: StatusFilter
  type: TypeFilter
  /** A monitor must have all of these tags. */
  tags: readonly string[]
  sort: SortOrder
}

export const defaultListOptions: MonitorListOptions = { q: '', status: 'all', type: 'all', tags: [], sort: 'status' }

/** Users can edit the URL, so unknown values count as the default. */
const parseChoice = <T extends string>(choices: readonly T[], text: string | null, fallback: T): T =>
  choices.find((choice) => choice === text) ?? fallback

export function parseListOptions(params: URLSearchParams): MonitorListOptions {
  return {
    q: params.get('q') ?? '',
    status: parseChoice(statusFilters, params.get('status'), defaultListOptions.status),
    type: parseChoice(typeFilters, params.get('type'), defaultListOptions.type),
    tags: mergeTags([], params.getAll('tag')),
    sort: parseChoice(sortOrders, params.get('sort'), defaultListOptions.sort),
  }
}

/** Omits defaults to keep URLs short. */
export function formatListOptions(options: MonitorListOptions): URLSearchParams {
  const params = new URLSearchParams()
  for (const name of ['q', 'status', 'type', 'sort'] as const) {
    if (options[name] !== defaultListOptions[name]) params.set(name, options[name])
  }
  for (const tag of options.tags) params.append('tag', tag)
  return params
}

/** Replaces the history entry on each change, so that Back leaves the list rather than undoing keystrokes. */
export function useMonitorListOptions(): [MonitorListOptions, (change: Partial<MonitorListOptions>) => void] {
  const [params, setParams] = useSearchParams()
  const options = useMemo(() => parseListOptions(params), [params])
  return [
    options,
    (change) => setParams((before) => formatListOptions({ ...parseListOptions(before), ...change }), { replace: true }),
  ]
}

const statusRank = { down: 0, pending: 1, up: 2, paused: 3 } as const
const collator = new Intl.Collator(userLanguages, { numeric: true })
const compareNames = (a: OverviewMonitor, b: OverviewMonitor) =>
  collator.compare(a.friendly_name, b.friendly_name) || a.id - b.id

/** Monitors that show no percentage come after those that do. */
const rankUptime = (monitor: OverviewMonitor) =>
  monitor.uptime_percent === null ? 102 : hasUptimePercent(monitor) ? monitor.uptime_percent : 101

/**
 * Each comparator puts the worst monitors first and monitors without data last. `sortMonitors` sorts equal monitors by
 * name.
 */
const comparators: Record<SortOrder, (a: OverviewMonitor, b: OverviewMonitor) => number> = {
  status: (a, b) => statusRank[a.status] - statusRank[b.status],
  name: () => 0,
  uptime: (a, b) => rankUptime(a) - rankUptime(b),
  response: (a, b) => (getResponseMs(b) ?? -1) - (getResponseMs(a) ?? -1),
}

/**
 * Sorting is separate from filtering, because sorting 10,000 monitors takes 20 ms and needn't happen on every
 * keystroke.
 */
export function sortMonitors(monitors: readonly OverviewMonitor[], sort: SortOrder): OverviewMonitor[] {
  const compare = comparators[sort]
  return monitors.toSorted((a, b) => compare(a, b) || compareNames(a, b))
}

export interface FilteredMonitors {
  shownMonitors: OverviewMonitor[]
  /** The number of monitors in each status that match the search, the type and the tags, without the sample monitor. */
  countByStatus: Record<StatusFilter, number>
}

/** Keeps the order of `monitors`. */
export function filterMonitors(
  monitors: readonly OverviewMonitor[],
  { q, status, type, tags }: Omit<MonitorListOptions, 'sort'>,
): FilteredMonitors {
  const term = q.trim().toLowerCase()
  const matchingMonitors = monitors.filter(
    (monitor) =>
      (type === 'all' || monitor.type === type) &&
      hasAllTags(monitor.tags, tags) &&
      (term === '' || monitor.friendly_name.toLowerCase().includes(term) || monitor.url.toLowerCase().includes(term)),
  )
  const countByStatus = { all: 0, up: 0, down: 0, paused: 0 }
  for (const { status, is_sample } of matchingMonitors) {
    if (is_sample) continue
    countByStatus.all += 1
    if (status !== 'pending') countByStatus[status] += 1
  }
  return {
    shownMonitors: matchingMonitors.filter(
      (monitor) => status === 'all' || (monitor.status === status && !monitor.is_sample),
    ),
    countByStatus,
  }
}
