/** Names of panels and their values. */
import type { PanelName, StatisticsTotals } from '../../../src/traffic/stats/schema.ts'
import { formatCountry, formatDay, formatLanguage } from '../../lib/format.ts'
import type { DayRange } from './period.ts'

/** `one` names a value, `many` the panel, `metric` what its rows count. */
export const panelLabels: Record<
  PanelName,
  { one: string; many: string; metric: 'Page views' | 'Visitors' | 'Events' }
> = {
  page: { one: 'Page', many: 'Pages', metric: 'Page views' },
  landing_page: { one: 'Entry page', many: 'Entry pages', metric: 'Visitors' },
  exit_page: { one: 'Exit page', many: 'Exit pages', metric: 'Visitors' },
  referrer: { one: 'Referrer', many: 'Referrers', metric: 'Visitors' },
  source: { one: 'Source', many: 'Sources', metric: 'Visitors' },
  campaign: { one: 'Campaign', many: 'Campaigns', metric: 'Visitors' },
  continent: { one: 'Continent', many: 'Continents', metric: 'Visitors' },
  country: { one: 'Country', many: 'Countries', metric: 'Visitors' },
  region: { one: 'Region', many: 'Regions', metric: 'Visitors' },
  city: { one: 'City', many: 'Cities', metric: 'Visitors' },
  language: { one: 'Language', many: 'Languages', metric: 'Visitors' },
  browser: { one: 'Browser', many: 'Browsers', metric: 'Visitors' },
  os: { one: 'Operating system', many: 'Operating systems', metric: 'Visitors' },
  device: { one: 'Device', many: 'Devices', metric: 'Visitors' },
  resolution: { one: 'Screen size', many: 'Screen sizes', metric: 'Visitors' },
  event: { one: 'Event', many: 'Events', metric: 'Events' },
}

const metricUnits = { 'Page views': 'page view', Visitors: 'visitor', Events: 'event' } as const

/** “page view” or “page views”, depending on the count. */
export const getCountUnit = (name: PanelName, count: number) => {
  const unit = metricUnits[panelLabels[name].metric]
  return count === 1 ? unit : `${unit}s`
}

/** Each row of the panel shows its share of this total. */
export function getPanelTotal(name: PanelName, totals: StatisticsTotals): number {
  const { metric } = panelLabels[name]
  if (metric === 'Page views') return totals.pageviews
  return metric === 'Events' ? totals.events : totals.visitors
}

export function formatPanelValue(name: PanelName, value: string): string {
  if (name === 'country') return formatCountry(value)
  if (name === 'language') return formatLanguage(value)
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1)
  if (name === 'resolution') return value.replace('x', ' × ')
  return value
}

/** The text of a panel without rows. */
export function describeEmptyPanel({ from, to }: DayRange, isFiltered: boolean): string {
  if (isFiltered) return 'No data matches these filters'
  return from === to ? 'No data for this day' : 'No data for this period'
}

export const formatDayRange = ({ from, to }: DayRange) =>
  from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`
