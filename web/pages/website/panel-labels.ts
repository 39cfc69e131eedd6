/** What panels and their values are called. */
import type { PanelName, Totals } from '../../../src/traffic/stats/schema.ts'
import { formatCountry, formatDay, formatLanguage } from '../../lib/format.ts'
import type { DayRange } from './period.ts'

/** What one of its values is, what all of them are, and what is counted of them. */
export const panelWords: Record<
  PanelName,
  { one: string; many: string; counted: 'Page views' | 'Visitors' | 'Events' }
> = {
  page: { one: 'Page', many: 'Pages', counted: 'Page views' },
  landing_page: { one: 'Entry page', many: 'Entry pages', counted: 'Visitors' },
  exit_page: { one: 'Exit page', many: 'Exit pages', counted: 'Visitors' },
  referrer: { one: 'Referrer', many: 'Referrers', counted: 'Visitors' },
  source: { one: 'Source', many: 'Sources', counted: 'Visitors' },
  campaign: { one: 'Campaign', many: 'Campaigns', counted: 'Visitors' },
  continent: { one: 'Continent', many: 'Continents', counted: 'Visitors' },
  country: { one: 'Country', many: 'Countries', counted: 'Visitors' },
  region: { one: 'Region', many: 'Regions', counted: 'Visitors' },
  city: { one: 'City', many: 'Cities', counted: 'Visitors' },
  language: { one: 'Language', many: 'Languages', counted: 'Visitors' },
  browser: { one: 'Browser', many: 'Browsers', counted: 'Visitors' },
  os: { one: 'System', many: 'Systems', counted: 'Visitors' },
  device: { one: 'Device', many: 'Devices', counted: 'Visitors' },
  resolution: { one: 'Screen', many: 'Screens', counted: 'Visitors' },
  event: { one: 'Event', many: 'Events', counted: 'Events' },
}

const countedOne = { 'Page views': 'page view', Visitors: 'visitor', Events: 'event' } as const

export const countedWord = (name: PanelName, count: number) => {
  const one = countedOne[panelWords[name].counted]
  return count === 1 ? one : `${one}s`
}

/** Of what a row is a share. */
export function wholeOf(name: PanelName, totals: Totals): number {
  const { counted } = panelWords[name]
  if (counted === 'Page views') return totals.pageviews
  return counted === 'Events' ? totals.events : totals.visitors
}

export function nameValue(name: PanelName, value: string): string {
  if (name === 'country') return formatCountry(value)
  if (name === 'language') return formatLanguage(value)
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1)
  if (name === 'resolution') return value.replace('x', ' × ')
  return value
}

/** In the place of rows. */
export function nothingWords({ from, to }: DayRange, isFiltered: boolean): string {
  if (isFiltered) return 'The filters leave nothing.'
  return from === to ? 'Nothing on this day.' : 'Nothing in these days.'
}

export const nameDays = ({ from, to }: DayRange) =>
  from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`
