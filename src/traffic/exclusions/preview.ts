/** What parameters that are not excluded yet would have merged in the last week. Bounded, however many pages there are. */
import { setImmediate as otherWork } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.ts'
import { addDays, localDayOf } from '../../lib/local-day.ts'
import { Turns } from '../../lib/turns.ts'
import type { Queries } from '../../storage/client.ts'
import type { Database } from '../../storage/database.ts'
import type { TenantId } from '../../storage/tenant.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { readCounts } from '../stats/counts-store.ts'
import { rank } from '../stats/ranking.ts'
import { Merging } from './merge.ts'
import type { ExclusionPreview } from './schema.ts'
import { findPages, findPagesWithQuery } from './store.ts'

const DAYS = 7
const ROWS_MOST = 10
const SEEN_MOST = 20
/** The most viewed pages, of which those with a query are looked at until there are enough of them, or of their letters. */
const PAGES_MOST = 100_000
const QUERIES_MOST = 20_000
const LETTERS_MOST = 2_000_000
/** Asked for at a time, which takes PostgreSQL 12 ms. */
const STEP = 10_000
/** Letters looked at before others are answered. By letters, since one page may have hundreds of parameters: 10 ms at worst. */
const PAUSE_AFTER = 10_000
/** Of the five connections for whole transactions. */
const AT_ONCE = 2

interface Needs {
  db: Database
  clock: Clock
  rollup: Rollup
}

interface Site {
  id: number
  timeZone: string
}

export class ExclusionPreviews {
  readonly #needs: Needs
  readonly #turns = new Turns(AT_ONCE)

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** `list`: lines as the registry keeps them. */
  async preview(caller: TenantId, site: Site, list: string | null): Promise<ExclusionPreview> {
    const { clock, db, rollup } = this.#needs
    await rollup.addUpFor(site.id)
    const to = localDayOf(site.timeZone, clock.now().getTime()).day
    const days = { websiteId: site.id, from: addDays(to, 1 - DAYS), to }
    return this.#turns.take(caller.userId, () =>
      db.asReader(caller, site.id).snapshot((q) => previewDays(q, days, list)),
    )
  }
}

async function previewDays(
  q: Queries,
  { websiteId, from, to }: { websiteId: number; from: string; to: string },
  list: string | null,
): Promise<ExclusionPreview> {
  const counts = await readCounts(q, { websiteId, from, to }, ['page'])
  const ranked = rank(counts.get('page') ?? new Map())
  const merging = new Merging(list)
  const { lookedAt, complete } = await addPages(q, websiteId, ranked, merging)
  await keepTargets(q, websiteId, new Map(ranked.map(({ id, count }) => [id, count])), merging)
  const { merged, lines, seen } = merging
  return {
    data: merged.slice(0, ROWS_MOST),
    meta: {
      from,
      to,
      pages_before: ranked.length,
      pages_after: merged.reduce((left, { pages }) => left - (pages - 1), ranked.length),
      looked_at: lookedAt,
      complete,
      lines,
      seen: seen.slice(0, SEEN_MOST),
    },
  }
}

async function addPages(
  q: Queries,
  websiteId: number,
  ranked: readonly { id: number; count: number }[],
  merging: Merging,
): Promise<{ lookedAt: number; complete: boolean }> {
  let lookedAt = 0
  let letters = 0
  let pauseAt = PAUSE_AFTER
  const most = Math.min(ranked.length, PAGES_MOST)
  for (let start = 0; start < most; start += STEP) {
    const step = ranked.slice(start, Math.min(start + STEP, most))
    const found = await findPagesWithQuery(
      q,
      websiteId,
      step.map(({ id }) => id),
    )
    const pages = new Map(found.map(({ id, value }) => [id, value]))
    for (const { id, count } of step) {
      const page = pages.get(id)
      if (page === undefined) continue
      if (lookedAt >= QUERIES_MOST || letters >= LETTERS_MOST) return { lookedAt, complete: false }
      merging.add(page, count)
      lookedAt++
      letters += page.length
      if (letters < pauseAt) continue
      pauseAt = letters + PAUSE_AFTER
      await otherWork()
    }
  }
  return { lookedAt, complete: ranked.length <= PAGES_MOST }
}

/** A page without the parameters may have been viewed as well. */
async function keepTargets(
  q: Queries,
  websiteId: number,
  views: ReadonlyMap<number, number>,
  merging: Merging,
): Promise<void> {
  const { missing } = merging
  for (let start = 0; start < missing.length; start += STEP) {
    for (const { id, value } of await findPages(q, websiteId, missing.slice(start, start + STEP))) {
      const count = views.get(id)
      if (count !== undefined) merging.keep(value, count)
    }
  }
}
