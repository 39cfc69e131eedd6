/** What panels and their values are called. */
import type { PanelName, Totals } from '../../../src/traffic/stats/schema.ts'
import { countryName, formatDay, languageName } from '../../lib/format.ts'
import type { DayRange } from './period.ts'

/** What one of its values is, and what is counted of it. */
export const panelWords: Record<PanelName, { one: string; counted: 'Page views' | 'Visitors' | 'Events' }> = {
  page: { one: 'Page', counted: 'Page views' },
  landing_page: { one: 'Entry page', counted: 'Visitors' },
  exit_page: { one: 'Exit page', counted: 'Visitors' },
  referrer: { one: 'Referrer', counted: 'Visitors' },
  source: { one: 'Source', counted: 'Visitors' },
  campaign: { one: 'Campaign', counted: 'Visitors' },
  continent: { one: 'Continent', counted: 'Visitors' },
  country: { one: 'Country', counted: 'Visitors' },
  region: { one: 'Region', counted: 'Visitors' },
  city: { one: 'City', counted: 'Visitors' },
  language: { one: 'Language', counted: 'Visitors' },
  browser: { one: 'Browser', counted: 'Visitors' },
  os: { one: 'System', counted: 'Visitors' },
  device: { one: 'Device', counted: 'Visitors' },
  resolution: { one: 'Screen', counted: 'Visitors' },
  event: { one: 'Event', counted: 'Events' },
}

/** Of what a row is a share. */
export function wholeOf(name: PanelName, totals: Totals): number {
  const { counted } = panelWords[name]
  if (counted === 'Page views') return totals.pageviews
  return counted === 'Events' ? totals.events : totals.visitors
}

export function nameValue(name: PanelName, value: string): string {
  if (name === 'country') return countryName(value)
  if (name === 'language') return languageName(value)
  if (name === 'device') return value.charAt(0).toUpperCase() + value.slice(1)
  if (name === 'resolution') return value.replace('x', ' × ')
  return value
}

export const nameDays = ({ from, to }: DayRange) =>
  from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`
