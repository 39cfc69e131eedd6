/**
 * Renders the months of histories, and keeps the renderings as long as the copy of the page. So a month is read again when the page has
 * changed, or after a minute.
 */
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { notFound } from '../../lib/problem.ts'
import { toPublicHistory } from '../feeds/public-json.ts'
import { monthAt } from '../load/months.ts'
import { renderHistoryPage } from '../render/history-page.ts'
import { prepareMarkdown } from '../render/markdown.ts'
import { toStatusPagePaths, toStatusPageUrls } from '../urls.ts'
import type { CopySource } from './copy-source.ts'
import type { PageCopy } from './page-copy.ts'
import { dataHeaders, refuseIfBudgetIsSpent, toHtmlHeaders } from './render-format.ts'
import { createRendering, type FormatVariant, type Rendering } from './rendering.ts'

const MAX_RENDERINGS = 100
/** Larger renderings are not kept, so all of them together take at most 50 MB. */
const MAX_KEPT_BYTES = 500_000

export interface HistoryVariant extends Pick<FormatVariant, 'pathPrefix' | 'serverUrl'> {
  format: 'html' | 'json'
  /** undefined: the current month. */
  month: string | undefined
}

interface KeptRendering {
  /** Weak, so that an old copy doesn't stay in memory with its renderings. */
  copy: WeakRef<PageCopy>
  rendering: Promise<Rendering>
}

export class HistoryRenderings {
  readonly #clock: Clock
  /** By the result of `toKey`. A rendering of an older copy counts as missing. */
  readonly #renderings = new BoundedMap<string, KeptRendering>(MAX_RENDERINGS)
  readonly #firstMonths = new WeakMap<PageCopy, Promise<string>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rejects with `not_found` if the page has no history of this month. `findSource` throws if there is no database. */
  async render(copy: PageCopy, findSource: () => CopySource, variant: HistoryVariant): Promise<Rendering> {
    const { timeZone } = copy.snapshot.page
    const lastMonth = monthAt(timeZone, this.#clock.now().getTime())
    const { month = lastMonth } = variant
    if (month > lastMonth) throw notFound()
    const key = toKey(copy, month, variant)
    const keptRendering = this.#renderings.get(key)
    if (keptRendering?.copy.deref() === copy) return keptRendering.rendering
    const rendering = this.#create(copy, findSource(), { ...variant, month, lastMonth })
    this.#renderings.set(key, { copy: new WeakRef(copy), rendering })
    rendering.then(
      ({ size }) => size > MAX_KEPT_BYTES && this.#drop(key, rendering),
      () => this.#drop(key, rendering),
    )
    return rendering
  }

  #drop(key: string, rendering: Promise<Rendering>): void {
    if (this.#renderings.get(key)?.rendering === rendering) this.#renderings.delete(key)
  }

  async #create(
    copy: PageCopy,
    source: CopySource,
    { format, month, lastMonth, pathPrefix, serverUrl }: HistoryVariant & { month: string; lastMonth: string },
  ): Promise<Rendering> {
    const { snapshot, renderBudget } = copy
    const { teamId } = snapshot.access
    const firstMonth = await this.#findFirstMonth(copy, source)
    if (month < firstMonth) throw notFound()
    refuseIfBudgetIsSpent(renderBudget, teamId)
    const history = await source.loadHistoryMonth(snapshot, month, this.#clock.now())
    const spend = <T>(render: () => T) => renderBudget.spend(teamId, render)
    await prepareMarkdown(history.posts, spend)
    if (format === 'json') {
      const json = spend(() => JSON.stringify(toPublicHistory(history)))
      return createRendering(json, { ...dataHeaders, 'content-type': 'application/json; charset=utf-8' })
    }
    const urls = serverUrl === undefined ? undefined : toStatusPageUrls(snapshot.page, serverUrl)
    const html = spend(() =>
      renderHistoryPage(snapshot, history, {
        paths: toStatusPagePaths(snapshot.page.slug, pathPrefix),
        canonicalUrl: urls && `${urls.history}/${month}`,
        firstMonth,
        lastMonth,
      }),
    )
    return createRendering(html, toHtmlHeaders(snapshot, { pathPrefix }))
  }

  #findFirstMonth(copy: PageCopy, source: CopySource): Promise<string> {
    const knownMonth = this.#firstMonths.get(copy)
    if (knownMonth !== undefined) return knownMonth
    const firstMonth = source.findFirstHistoryMonth(copy.snapshot)
    this.#firstMonths.set(copy, firstMonth)
    firstMonth.catch(() => this.#firstMonths.delete(copy))
    return firstMonth
  }
}

const toKey = ({ snapshot }: PageCopy, month: string, { format, pathPrefix }: HistoryVariant) =>
  `${snapshot.access.pageId} ${month} ${format} ${pathPrefix}`
