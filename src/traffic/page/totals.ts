/** The six numbers at the top, and how they have changed. */
import { type Html, html } from '../../lib/html.ts'
import { formatCount } from '../../lib/numbers.ts'
import type { Overview, Totals } from '../stats/schema.ts'
import { formatDays, formatPercent, formatSeconds } from './words.ts'

interface Figure {
  name: keyof Totals
  title: string
  /** Whether more of it is better. */
  isGood: boolean
  format: (totals: Totals) => string
}

const figures: Figure[] = [
  { name: 'visitors', title: 'Visitors', isGood: true, format: ({ visitors }) => formatCount(visitors) },
  { name: 'pageviews', title: 'Page views', isGood: true, format: ({ pageviews }) => formatCount(pageviews) },
  { name: 'visits', title: 'Visits', isGood: true, format: ({ visits }) => formatCount(visits) },
  { name: 'events', title: 'Events', isGood: true, format: ({ events }) => formatCount(events) },
  {
    name: 'bounce_rate',
    title: 'Bounce rate',
    isGood: false,
    format: ({ bounce_rate: rate }) => formatPercent(rate),
  },
  {
    name: 'visit_duration',
    title: 'Visit duration',
    isGood: true,
    format: ({ visit_duration: seconds }) => formatSeconds(seconds),
  },
]

function renderChange(percent: number | null | undefined, isGood: boolean): Html | undefined {
  if (percent === null || percent === undefined) return undefined
  if (percent === 0) return html`<dd class="change">unchanged</dd>`
  const isMore = percent > 0
  const [sign, word] = isMore ? ['▲', 'more'] : ['▼', 'less']
  return html`<dd class="change ${isMore === isGood ? 'better' : 'worse'}"><span aria-hidden="true">${sign}</span> ${formatPercent(Math.abs(percent))}<span class="sr"> ${word} than before</span></dd>`
}

const isNothing = ({ visits, pageviews, events }: Totals) => visits === 0 && pageviews === 0 && events === 0

export function renderTotals({ totals, change, previous }: Overview): Html {
  return html`<section aria-labelledby="totals"><h2 id="totals" class="sr">Totals</h2>
<dl class="card totals">${figures.map(
    ({ name, title, isGood, format }) =>
      html`<div><dt>${title}</dt><dd>${format(totals)}</dd>${renderChange(change?.[name], isGood)}</div>`,
  )}</dl>
${previous !== null && !isNothing(previous.totals) && html`<p class="quiet">Compared with ${formatDays(previous.from, previous.to)}.</p>`}</section>`
}
