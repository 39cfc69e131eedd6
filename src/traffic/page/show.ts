/** From what somebody asked for in the address to the page that answers it. */
import type { Clock } from '../../lib/clock.ts'
import { html } from '../../lib/html.ts'
import { localDayOf } from '../../lib/local-day.ts'
import { Problem } from '../../lib/problem.ts'
import { snippetOf } from '../../websites/snippet.ts'
import type { Opened } from '../stats/access.ts'
import { type Filter, parseFilters } from '../stats/filters.ts'
import type { Statistics } from '../stats/statistics.ts'
import { choosePeriod } from './period.ts'
import { renderStatistics } from './render.ts'
import { style } from './style.ts'

type Query = Record<string, string | string[]>

/** What an address says twice counts once. */
const only = (query: Query, name: string) => [query[name] ?? []].flat().at(-1)

/** A filter that cannot be read is left out, all of them are: a part of what was asked for would mislead. */
function readFilters(query: Query): { texts: string[]; filters: Filter[]; isFallback: boolean } {
  const texts = [query['filter'] ?? []].flat()
  try {
    return { texts, filters: parseFilters(texts), isFallback: false }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { texts: [], filters: [], isFallback: true }
  }
}

export async function showStatistics(
  { statistics, clock }: { statistics: Statistics; clock: Clock },
  { site, reader }: Opened,
  { query, baseUrl }: { query: Query; baseUrl: string },
): Promise<{ title: string; body: string; style: string }> {
  const today = localDayOf(site.timeZone, clock.now().getTime()).day
  const asked = { period: only(query, 'period'), from: only(query, 'from'), to: only(query, 'to') }
  const period = choosePeriod(asked, today)
  const { texts, filters, isFallback } = readFilters(query)
  const notes = [
    period.isFallback && 'These days cannot be shown; here are the last 30.',
    isFallback && 'These filters cannot be read; here is everything.',
  ]
  const { from, to } = period
  const overview = await statistics.overview(reader, site, { from, to, compare: true, filters })
  const body = renderStatistics({
    overview,
    view: { period, filters: texts },
    today,
    snippet: reader.kind === 'owner' ? snippetOf(baseUrl, site.domain) : undefined,
    note: notes.filter(Boolean).join(' ') || undefined,
  })
  return { title: html`${site.domain} · Belfry`.text, body: body.text, style }
}
