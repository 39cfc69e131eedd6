/** Visitors and page views over time: bars as SVG, and the same as a table. */
import { type Html, html } from '../../lib/html.ts'
import { formatCompact, formatCount } from '../../lib/numbers.ts'
import type { Overview } from '../stats/schema.ts'
import { longDay, monthOf, shortDay } from './words.ts'

/** More bars than this are too thin to point at, and become months. */
const BARS_MOST = 93

interface Slot {
  /** As it stands under the chart, and in full. */
  short: string
  long: string
  visitors: number
  pageviews: number
}

function slotsOf({ unit, visitors, pageviews }: Overview['series']): Slot[] {
  const points = visitors.map(({ value, count }, n) => ({
    value,
    visitors: count,
    pageviews: pageviews[n]?.count ?? 0,
  }))
  if (unit === 'hour') {
    return points.map(({ value, ...counts }) => ({ short: value.slice(11, 16), long: value.slice(11, 16), ...counts }))
  }
  if (points.length <= BARS_MOST) {
    return points.map(({ value, ...counts }) => ({ short: shortDay(value), long: longDay(value), ...counts }))
  }
  // Visitors of a month are the sum of its days, as everywhere.
  const months = Map.groupBy(points, ({ value }) => value.slice(0, 7))
  return [...months].map(([month, days]) => ({
    short: monthOf(`${month}-01`),
    long: monthOf(`${month}-01`),
    visitors: days.reduce((sum, day) => sum + day.visitors, 0),
    pageviews: days.reduce((sum, day) => sum + day.pageviews, 0),
  }))
}

/** The next round number whose half is one too. */
export function roundUp(most: number): number {
  const least = Math.max(most, 2)
  const power = 10 ** Math.floor(Math.log10(least))
  return ([1, 2, 4, 6, 8, 10].find((step) => step * power >= least) ?? 10) * power
}

/** The drawing has no size of its own: 100 by 100, stretched over whatever room there is. */
function barsOf(slots: readonly Slot[], top: number): Html[] {
  const width = 100 / slots.length
  const number = (value: number) => String(Math.round(value * 100) / 100)
  const bar = (className: string, n: number, inset: number, count: number) => {
    const height = (count / top) * 100
    return html`<rect class="${className}" x="${number((n + inset) * width)}" width="${number(width * (1 - 2 * inset))}" y="${number(100 - height)}" height="${number(height)}"/>`
  }
  return slots.map(
    (slot, n) => html`<g class="slot"><title>${slot.long}: ${wordsOf(slot)}</title>
<rect class="ground" x="${number(n * width)}" width="${number(width)}" y="0" height="100"/>
${bar('views', n, 0.1, slot.pageviews)}${bar('visitors', n, 0.25, slot.visitors)}</g>`,
  )
}

function wordsOf({ visitors, pageviews }: Slot): string {
  return `${formatCount(visitors)} ${visitors === 1 ? 'visitor' : 'visitors'}, ${formatCount(pageviews)} page ${pageviews === 1 ? 'view' : 'views'}`
}

export function renderChart(series: Overview['series'], days: string): Html {
  const slots = slotsOf(series)
  const top = roundUp(Math.max(0, ...slots.flatMap(({ visitors, pageviews }) => [visitors, pageviews])))
  const busiest = slots.reduce<Slot | undefined>(
    (a, b) => (a === undefined || b.visitors > a.visitors ? b : a),
    undefined,
  )
  const labels = [slots[0], slots.length > 2 ? slots[Math.floor((slots.length - 1) / 2)] : undefined, slots.at(-1)]
  return html`<section aria-labelledby="over-time"><h2 id="over-time" class="sr">Over time</h2>
<figure class="card chart">
<figcaption><span class="key visitors">Visitors</span><span class="key views">Page views</span></figcaption>
<div class="plot"><div class="scale" aria-hidden="true"><span>${formatCompact(top)}</span><span>${formatCompact(top / 2)}</span><span>0</span></div>
<svg viewBox="0 0 100 100" preserveAspectRatio="none" role="img" aria-labelledby="chart-title chart-text">
<title id="chart-title">Visitors and page views, ${days}</title>
<desc id="chart-text">${busiest && `Most visitors: ${busiest.long}, with ${wordsOf(busiest)}.`} All numbers are in the table below.</desc>
<path class="grid" d="M0 0H100M0 50H100M0 100H100"/>${barsOf(slots, top)}</svg>
<div class="times" aria-hidden="true">${labels.map((slot) => html`<span>${slot?.short}</span>`)}</div></div>
<details><summary>The numbers as a table</summary>
<div class="scroll" role="region" tabindex="0" aria-label="The numbers as a table"><table><thead><tr><th scope="col">When</th><th scope="col">Visitors</th><th scope="col">Page views</th></tr></thead>
<tbody>${slots.map((slot) => html`<tr><th scope="row">${slot.long}</th><td>${formatCount(slot.visitors)}</td><td>${formatCount(slot.pageviews)}</td></tr>`)}</tbody></table></div></details>
</figure></section>`
}
