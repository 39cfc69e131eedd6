/** Previews which pages of the last week a list of ignored parameters would have merged. Limits bound the work. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { addDays, localDayAt } from '../../lib/local-day.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { type RankedValue, rankCounts } from '../stats/panels.ts'
import { readDimensionCounts, type WebsiteDays } from '../stats/store.ts'
import { PageMerger } from './page-merger.ts'
import type { ExclusionPreview } from './schema.ts'
import { findPagesWithQueryString, findStoredPages } from './store.ts'

const PREVIEW_DAYS = 7
const MAX_MERGED_PAGES = 10
const MAX_USED_PARAMETERS = 20
/** The most viewed pages are read first, until one of these limits is reached. */
const MAX_PAGES = 100_000
const MAX_PAGES_WITH_QUERY_STRING = 20_000
const MAX_CHARACTERS = 2_000_000
/** PostgreSQL reads this many pages in 12 ms. */
const PAGES_PER_QUERY = 10_000
/**
 * After about 10 ms of work, other requests get a turn. The unit is characters instead of pages, because a page can have
 * hundreds of parameters.
 */
const CHARACTERS_PER_TURN = 10_000
/** By default, requests have five database connections for transactions. Each preview uses one of them. */
const MAX_CONCURRENT_PREVIEWS = 2

interface Deps {
  db: Database
  clock: Clock
  rollup: Rollup
}

interface PreviewedWebsite {
  id: number
  timeZone: string
}

export class ExclusionPreviews {
  readonly #deps: Deps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_PREVIEWS)

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `excludeParams` has one parameter per line, as a website stores it. */
  async preview(caller: TenantId, website: PreviewedWebsite, excludeParams: string | null): Promise<ExclusionPreview> {
    const { clock, db, rollup } = this.#deps
    await rollup.rollUpWebsite(website.id)
    const to = localDayAt(website.timeZone, clock.now().getTime()).day
    const days = { websiteId: website.id, from: addDays(to, 1 - PREVIEW_DAYS), to }
    return this.#limiter.run(caller.teamId, () =>
      db.asMember(caller, website.id).snapshot((q) => computePreview(q, days, excludeParams)),
    )
  }
}

async function computePreview(
  q: Queries,
  { websiteId, from, to }: WebsiteDays,
  excludeParams: string | null,
): Promise<ExclusionPreview> {
  const counts = await readDimensionCounts(q, { websiteId, from, to }, ['page'])
  const rankedPages = rankCounts(counts.get('page') ?? new Map())
  const merger = new PageMerger(excludeParams)
  const { pagesRead, isComplete } = await addPagesWithQueryString(q, websiteId, rankedPages, merger)
  await addTargetViews(q, websiteId, rankedPages, merger)
  const { mergedPages, lines, usedParameters } = merger
  return {
    data: mergedPages.slice(0, MAX_MERGED_PAGES),
    meta: {
      from,
      to,
      pages_before: rankedPages.length,
      pages_after: mergedPages.reduce((total, { pages }) => total - (pages - 1), rankedPages.length),
      looked_at: pagesRead,
      complete: isComplete,
      lines,
      seen: usedParameters.slice(0, MAX_USED_PARAMETERS),
    },
  }
}

async function addPagesWithQueryString(
  q: Queries,
  websiteId: number,
  rankedPages: readonly RankedValue[],
  merger: PageMerger,
): Promise<{ pagesRead: number; isComplete: boolean }> {
  let pagesRead = 0
  let charactersRead = 0
  let nextTurnAtCharacter = CHARACTERS_PER_TURN
  const end = Math.min(rankedPages.length, MAX_PAGES)
  for (let start = 0; start < end; start += PAGES_PER_QUERY) {
    const slice = rankedPages.slice(start, Math.min(start + PAGES_PER_QUERY, end))
    const ids = slice.map(({ id }) => id)
    const pages = new Map((await findPagesWithQueryString(q, websiteId, ids)).map(({ id, value }) => [id, value]))
    for (const { id, count } of slice) {
      const page = pages.get(id)
      if (page === undefined) continue
      if (pagesRead >= MAX_PAGES_WITH_QUERY_STRING || charactersRead >= MAX_CHARACTERS)
        return { pagesRead, isComplete: false }
      merger.add(page, count)
      pagesRead++
      charactersRead += page.length
      if (charactersRead < nextTurnAtCharacter) continue
      // Lets other requests run.
      nextTurnAtCharacter = charactersRead + CHARACTERS_PER_TURN
      await yieldToEventLoop()
    }
  }
  return { pagesRead, isComplete: rankedPages.length <= MAX_PAGES }
}

/**
 * Adds the views of the pages that other pages would merge into. `addPagesWithQueryString` has skipped such a page if it has
 * no query string.
 */
async function addTargetViews(
  q: Queries,
  websiteId: number,
  rankedPages: readonly RankedValue[],
  merger: PageMerger,
): Promise<void> {
  const viewsById = new Map(rankedPages.map(({ id, count }) => [id, count]))
  const targets = merger.targetsWithUnknownViews
  for (let start = 0; start < targets.length; start += PAGES_PER_QUERY) {
    for (const { id, value } of await findStoredPages(q, websiteId, targets.slice(start, start + PAGES_PER_QUERY))) {
      const views = viewsById.get(id)
      if (views !== undefined) merger.addUnchangedPage(value, views)
    }
  }
}
