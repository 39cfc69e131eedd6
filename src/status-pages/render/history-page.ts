/** The HTML of one month of a status page's history. It is complete without script. */
import { escapeHtml } from '../../lib/text.ts'
import type { StatusHistoryMonth } from '../load/history.ts'
import { addMonths } from '../load/months.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPagePaths } from '../urls.ts'
import { renderHistoryDays, toIncidentEntry, toMaintenanceEntry, toPostEntry } from './history-entries.ts'
import { renderSymbols, statusIcon } from './icons.ts'
import { renderPageFrame } from './page-frame.ts'
import type { PostContext } from './posts.ts'
import { formatMonth } from './times.ts'

export interface HistoryPageOptions {
  paths: StatusPagePaths
  canonicalUrl: string | undefined
  /** The months to which visitors can go. */
  firstMonth: string
  lastMonth: string
}

/** Send it with the headers of `statusPageHeaders`. */
export function renderHistoryPage(
  snapshot: StatusPageSnapshot,
  history: StatusHistoryMonth,
  options: HistoryPageOptions,
): string {
  const { page } = snapshot
  const { paths, canonicalUrl } = options
  const monthText = formatMonth(history.month)
  return renderPageFrame(snapshot, {
    paths,
    canonicalUrl,
    kind: 'history',
    title: `Incident history, ${monthText} · ${page.title}`,
    description: `Incidents and maintenance of ${page.title} in ${monthText}.`,
    mainHtml: [
      renderSymbols(),
      `<p class="back"><a href="${escapeHtml(paths.page)}">${statusIcon('left')}Current status</a></p>`,
      renderMonthHead(history.month, options),
      renderMonth(history, { zone: page.timeZone, now: snapshot.readAt }),
    ].join(''),
  })
}

function renderMonthHead(month: string, { paths, firstMonth, lastMonth }: HistoryPageOptions): string {
  const link = (target: string, rel: 'prev' | 'next') => {
    const text = `<span>${formatMonth(target)}</span>`
    const contentHtml = rel === 'prev' ? `${statusIcon('left')}${text}` : `${text}${statusIcon('right')}`
    return `<a class="button quiet" rel="${rel}" href="${escapeHtml(`${paths.history}/${target}`)}">${contentHtml}</a>`
  }
  const previousHtml = month > firstMonth ? link(addMonths(month, -1), 'prev') : ''
  const nextHtml = month < lastMonth ? link(addMonths(month, 1), 'next') : ''
  return `<div class="month-head"><h2>Incident history <span class="month">${formatMonth(month)}</span></h2><nav aria-label="Months">${previousHtml}${nextHtml}</nav></div>`
}

function renderMonth(history: StatusHistoryMonth, context: PostContext): string {
  const { zone } = context
  const { month, incidents, maintenances, posts, isIncomplete } = history
  const entries = [
    ...incidents.filter(({ isInPost }) => !isInPost).map((incident) => toIncidentEntry(incident, zone)),
    ...maintenances.map((maintenance) => toMaintenanceEntry(maintenance, zone)),
    ...posts.map((post) => toPostEntry(post, context)),
  ]
  if (entries.length === 0) {
    return `<p class="card empty">No incidents or maintenance in ${formatMonth(month)}.</p>`
  }
  const noteHtml = isIncomplete ? '<p class="more meta">Older entries of this month are not shown.</p>' : ''
  return `${renderHistoryDays(entries, zone)}${noteHtml}`
}
