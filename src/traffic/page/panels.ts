/** What traffic is made of: a list for each kind, longest bar first; every row is a filter. */
import { type Html, html } from '../../lib/html.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { Overview, PanelName, StatisticsRow } from '../stats/schema.ts'
import { linkToFilter, type View } from './view.ts'
import { nameValue } from './words.ts'

/** In the order of the page. */
const panelTitles: Record<PanelName, string> = {
  page: 'Pages',
  source: 'Sources',
  landing_page: 'Landing pages',
  exit_page: 'Exit pages',
  referrer: 'Referrers',
  campaign: 'Campaigns',
  country: 'Countries',
  region: 'Regions',
  city: 'Cities',
  continent: 'Continents',
  device: 'Devices',
  browser: 'Browsers',
  os: 'Operating systems',
  resolution: 'Screens',
  language: 'Languages',
  event: 'Events',
}

function unitOf(name: PanelName): string {
  if (name === 'page') return 'Page views'
  return name === 'event' ? 'Events' : 'Visitors'
}

function renderRow(view: View, name: PanelName, { value, count }: StatisticsRow, most: number): Html {
  const share = Math.round((count / most) * 1000) / 10
  return html`<li style="--share:${share}%"><a href="${linkToFilter(view, name, value)}" title="Only ${value}"><bdi>${nameValue(name, value)}</bdi></a> <span>${formatCount(count)}</span></li>`
}

function renderPanel(view: View, name: PanelName, rows: readonly StatisticsRow[]): Html {
  const most = Math.max(1, ...rows.map(({ count }) => count))
  return html`<section class="card panel" aria-labelledby="panel-${name}"><header><h2 id="panel-${name}">${panelTitles[name]}</h2><span>${unitOf(name)}</span></header>
<ol>${rows.map((row) => renderRow(view, name, row, most))}</ol></section>`
}

/** What is not known of anybody has no panel. */
export function renderPanels(view: View, panels: Overview['panels']): Html {
  const names = (Object.keys(panelTitles) as PanelName[]).filter((name) => panels[name].length > 0)
  if (names.length === 0) return html``
  return html`<div><p class="quiet hint">Choose a row to see only what belongs to it.</p>
<div class="panels">${names.map((name) => renderPanel(view, name, panels[name]))}</div></div>`
}
