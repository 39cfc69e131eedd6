/** Names of panels and their values. */
import type { PanelName, StatisticsTotals } from '../../../src/traffic/stats/schema.ts'
import { toDisplayAddress } from '../../lib/address.ts'
import { formatCountry, formatLanguage } from '../../lib/format.ts'
import { getRegionName } from '../../lib/get-region-name.ts'
import type { DayRange } from './calendar.ts'

/** `singular` names a value, `plural` the panel, `metricLabel` what its rows count. */
export const panelLabels: Record<
  PanelName,
  { singular: string; plural: string; metricLabel: 'Page views' | 'Visitors' | 'Events' }
> = {
  page: { singular: 'Page', plural: 'Pages', metricLabel: 'Page views' },
  landing_page: { singular: 'Entry page', plural: 'Entry pages', metricLabel: 'Visitors' },
  exit_page: { singular: 'Exit page', plural: 'Exit pages', metricLabel: 'Visitors' },
  referrer: { singular: 'Referrer', plural: 'Referrers', metricLabel: 'Visitors' },
  source: { singular: 'Source', plural: 'Sources', metricLabel: 'Visitors' },
  campaign: { singular: 'Campaign', plural: 'Campaigns', metricLabel: 'Visitors' },
  continent: { singular: 'Continent', plural: 'Continents', metricLabel: 'Visitors' },
  country: { singular: 'Country', plural: 'Countries', metricLabel: 'Visitors' },
  region: { singular: 'Region', plural: 'Regions', metricLabel: 'Visitors' },
  city: { singular: 'City', plural: 'Cities', metricLabel: 'Visitors' },
  language: { singular: 'Language', plural: 'Languages', metricLabel: 'Visitors' },
  browser: { singular: 'Browser', plural: 'Browsers', metricLabel: 'Visitors' },
  os: { singular: 'Operating system', plural: 'Operating systems', metricLabel: 'Visitors' },
  device: { singular: 'Device', plural: 'Devices', metricLabel: 'Visitors' },
  resolution: { singular: 'Screen size', plural: 'Screen sizes', metricLabel: 'Visitors' },
  hostname: { singular: 'Hostname', plural: 'Hostnames', metricLabel: 'Visitors' },
  event: { singular: 'Event', plural: 'Events', metricLabel: 'Events' },
}

const metricUnits = { 'Page views': 'page view', Visitors: 'visitor', Events: 'event' } as const

/** “page view” or “page views”, depending on the count. */
export const getCountUnit = (name: PanelName, count: number) => {
  const unit = metricUnits[panelLabels[name].metricLabel]
  return count === 1 ? unit : `${unit}s`
}

/** Each row of the panel shows its share of this total. */
export function getPanelTotal(name: PanelName, totals: StatisticsTotals): number {
  const { metricLabel } = panelLabels[name]
  if (metricLabel === 'Page views') return totals.pageviews
  return metricLabel === 'Events' ? totals.events : totals.visitors
}

export function formatPanelValue(name: PanelName, value: string): string {
  if (name === 'country') return formatCountry(value)
  if (name === 'language') return formatLanguage(value)
  if (name === 'region') return formatRegion(value)
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1)
  // A source without a known name is the host of its referrer.
  if (name === 'referrer' || name === 'source' || name === 'hostname') return toDisplayAddress(value)
  if (name === 'resolution') return value.replace('x', ' × ')
  return value
}

/** Returns the code until the names are loaded. See `useRegionNames`. */
function formatRegion(code: string): string {
  const name = getRegionName(code)
  return typeof name === 'string' ? name : code
}

/** The text of a panel without rows. */
export function describeEmptyPanel({ from, to }: DayRange, isFiltered: boolean): string {
  if (isFiltered) return 'No data matches these filters'
  return from === to ? 'No data for this day' : 'No data for this period'
}
