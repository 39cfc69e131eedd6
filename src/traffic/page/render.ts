/** The page of a website's statistics, in one piece and without scripts. */
import { type Html, html } from '../../lib/html.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { Overview, PanelName } from '../stats/schema.ts'
import { renderChart } from './chart.ts'
import { renderPanels } from './panels.ts'
import { type PeriodName, periods } from './period.ts'
import { renderTotals } from './totals.ts'
import { filterFields, linkToFilters, linkToPeriod, nameOfFilter, type View } from './view.ts'
import { formatDays, nameValue, wordOf } from './words.ts'

export interface Shown {
  overview: Overview
  view: View
  /** By the clock of the website. */
  today: string
  /** For the owner of a website from which nothing has come: what to put into its pages. */
  snippet: string | undefined
  /** What was asked for and could not be had. */
  note: string | undefined
}

function renderPeriods(view: View, today: string): Html {
  const { name: current, from, to } = view.period
  const links = (Object.keys(periods) as PeriodName[]).map((name) => {
    const mark = name === current && html` aria-current="true"`
    return html`<a href="${linkToPeriod(view, name)}"${mark}>${periods[name]}</a>`
  })
  const hidden = filterFields(view.filters).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<nav aria-label="Period">${links}
<form>${hidden}<label>From <input type="date" name="from" value="${from}" max="${today}" required></label>
<label>to <input type="date" name="to" value="${to}" max="${today}" required></label><button>Show</button></form></nav>`
}

function renderFilters(view: View): Html | undefined {
  if (view.filters.length === 0) return undefined
  const items = view.filters.map((filter) => {
    const name = nameOfFilter(filter) as PanelName
    const value = nameValue(name, filter.slice(name.length + 1))
    const others = view.filters.filter((other) => other !== filter)
    return html`<li><a href="${linkToFilters(view, others)}"><span>${wordOf(name)}:</span> <bdi>${value}</bdi> <span aria-hidden="true">✕</span><span class="sr">, remove this filter</span></a></li>`
  })
  return html`<ul class="filters" aria-label="Filters">${items}</ul>`
}

function renderNothing({ view, snippet }: Shown): Html {
  if (view.filters.length > 0)
    return html`<section class="card"><h2>Nothing fits</h2><p>Nobody in these days fits all filters. <a href="${linkToFilters(view, [])}">Remove them</a></p></section>`
  return html`<section class="card"><h2>Nothing was counted in these days</h2>
${
  snippet === undefined
    ? html`<p>Choose other days, or come back later.</p>`
    : html`<p>Put this into the head of every page, if it is not there yet. Only you see this.</p><pre><code>${snippet}</code></pre>`
}</section>`
}

export function renderStatistics(shown: Shown): Html {
  const { overview, view, today, note } = shown
  const { website, totals, visitors_now: now } = overview
  const isEmpty = totals.visits === 0 && totals.pageviews === 0 && totals.events === 0
  const days = formatDays(overview.from, overview.to)
  return html`<header class="top"><div><h1>${website.domain}</h1><p class="quiet">${days}</p></div>
<p class="now${now === 0 && ' idle'}"><b>${formatCount(now)}</b> ${now === 1 ? 'visitor' : 'visitors'} now</p></header>
${renderPeriods(view, today)}
<main>${note !== undefined && html`<p role="status" class="note">${note}</p>`}${renderFilters(view)}
${isEmpty ? renderNothing(shown) : [renderTotals(overview), renderChart(overview.series, days), renderPanels(view, overview.panels)]}</main>
<footer class="quiet">Counted by Belfry, without cookies. Days and hours are those of ${website.time_zone}.</footer>`
}
