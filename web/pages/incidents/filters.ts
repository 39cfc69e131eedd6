/** The filters of the list of incidents. The URL holds them, so that users can share a list and go back. */

import { useMemo } from 'preact/hooks'
import { useSearchParams } from 'wouter-preact'
import { type Cause, causes } from '../../../src/shared/causes.ts'
import { type IncidentState, incidentStates } from '../../../src/shared/incidents.ts'
import type { QueryValue } from '../../lib/api.ts'
import { formatDays } from '../../lib/format.ts'
import { incidentStateLabels } from '../../lib/incidents.ts'
import { mergeTags } from '../../lib/tags.ts'
import type { DayRange } from '../website/calendar.ts'
import { getPeriodDays, isPeriodName, type PeriodName, toDayRange } from '../website/period.ts'

export interface IncidentFilters {
  /** Undefined for all states. `open` includes acknowledged incidents. */
  state: IncidentState | undefined
  cause: Cause | undefined
  monitorId: number | undefined
  websiteId: number | undefined
  /** A monitor must have all of these tags. */
  tags: readonly string[]
  /** Calendar days in the time zone of the browser. */
  period: PeriodName | DayRange
}

export const DEFAULT_INCIDENT_PERIOD: PeriodName = '30d'

export const noIncidentFilters: IncidentFilters = {
  state: undefined,
  cause: undefined,
  monitorId: undefined,
  websiteId: undefined,
  tags: [],
  period: DEFAULT_INCIDENT_PERIOD,
}

/** Users can edit the URL, so unknown values count as no filter. */
export function parseIncidentFilters(params: URLSearchParams, today: string): IncidentFilters {
  const find = <T extends string>(choices: readonly T[], name: string) =>
    choices.find((choice) => choice === params.get(name))
  return {
    state: find(incidentStates, 'state'),
    cause: find(causes, 'cause'),
    monitorId: parseId(params.get('monitor')),
    websiteId: parseId(params.get('website')),
    tags: mergeTags([], params.getAll('tag')),
    period: parsePeriod(params, today),
  }
}

const parseId = (text: string | null) => (text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)

function parsePeriod(params: URLSearchParams, today: string): IncidentFilters['period'] {
  const [period, from, to] = ['period', 'from', 'to'].map((name) => params.get(name) ?? '') as [string, string, string]
  if (isPeriodName(period)) return period
  return toDayRange(from || to, to || today, today) ?? DEFAULT_INCIDENT_PERIOD
}

/** Omits defaults to keep URLs short. */
export function formatIncidentFilters(filters: Partial<IncidentFilters>): URLSearchParams {
  const { state, cause, monitorId, websiteId, tags = [], period = DEFAULT_INCIDENT_PERIOD } = filters
  const params = new URLSearchParams()
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) params.set(name, `${value}`)
  }
  set('state', state)
  set('cause', cause)
  set('monitor', monitorId)
  set('website', websiteId)
  for (const tag of tags) params.append('tag', tag)
  if (typeof period === 'object') {
    set('from', period.from)
    set('to', period.to)
  } else if (period !== DEFAULT_INCIDENT_PERIOD) set('period', period)
  return params
}

type ChosenTarget = Pick<IncidentFilters, 'monitorId' | 'websiteId'>
type SampleRecords = Record<'websites' | 'monitors', readonly { id: number; is_sample: boolean }[]>

/** The numbers leave out incidents of the sample shop, unless the user has filtered by its monitor or website. */
export function leavesOutSample(
  { monitorId, websiteId }: ChosenTarget,
  { websites, monitors }: SampleRecords,
): boolean {
  const sampleMonitor = monitors.find(({ is_sample }) => is_sample)
  if (sampleMonitor === undefined || sampleMonitor.id === monitorId) return false
  return websiteId === undefined || !websites.some(({ id, is_sample }) => id === websiteId && is_sample)
}

/**
 * The parameters of the API. Days become times, because the server may be in another time zone. Incidents of the sample shop are listed
 * only among all incidents: beside a state with the number 0, they would contradict it.
 */
export function toIncidentQuery(
  filters: IncidentFilters,
  today: string,
  isSampleLeftOut = false,
): Record<string, QueryValue> {
  const { state, cause, monitorId, websiteId, tags } = filters
  const days = toPeriodDays(filters, today)
  return {
    state,
    cause,
    monitor_id: monitorId,
    website_id: websiteId,
    tag: tags,
    is_sample: isSampleLeftOut && state !== undefined ? false : undefined,
    from: days && toStartOfDay(days.from, 0),
    // A period until today has no end, so that a browser whose clock is behind shows the newest incidents, too.
    to: days === undefined || days.to === today ? undefined : toStartOfDay(days.to, 1),
  }
}

/** Undefined for all time. */
const toPeriodDays = ({ period }: IncidentFilters, today: string): DayRange | undefined =>
  typeof period === 'object' ? period : period === 'all' ? undefined : getPeriodDays(period, today)

/** The beginning of the calendar day in the time zone of the browser, or of one that follows it. */
function toStartOfDay(day: string, offsetDays: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + offsetDays).toISOString()
}

const periodPhrases: Record<PeriodName, string> = {
  today: ' today',
  yesterday: ' yesterday',
  '7d': ' in the last 7 days',
  '30d': ' in the last 30 days',
  '90d': ' in the last 90 days',
  month: ' this month',
  last_month: ' last month',
  year: ' this year',
  '12mo': ' in the last 12 months',
  all: '',
}

/** "No ongoing incidents in the last 30 days". */
export function describeNoIncidents({ state, period }: Pick<IncidentFilters, 'state' | 'period'>): string {
  const phrase = typeof period === 'string' ? periodPhrases[period] : describeRange(period)
  if (state === undefined) return `No incidents${phrase}`
  // An ongoing incident is part of every period that ends now.
  return `No ${incidentStateLabels[state].toLowerCase()} incidents${state === 'resolved' ? phrase : ''}`
}

const describeRange = (range: DayRange) => ` ${range.from === range.to ? 'on' : 'in the range'} ${formatDays(range)}`

/** How many filters beside the state and the period are set. */
export const countIncidentFilters = ({ cause, monitorId, websiteId, tags }: IncidentFilters) =>
  [cause, monitorId, websiteId].filter((value) => value !== undefined).length + tags.length

export type ChangeIncidentFilters = (change: Partial<IncidentFilters>) => void

/** Each change adds an entry to the history, so that Back undoes it. */
export function useIncidentFilters(today: string): [IncidentFilters, ChangeIncidentFilters] {
  const [params, setParams] = useSearchParams()
  const filters = useMemo(() => parseIncidentFilters(params, today), [params, today])
  return [
    filters,
    (change) => setParams((before) => formatIncidentFilters({ ...parseIncidentFilters(before, today), ...change })),
  ]
}
