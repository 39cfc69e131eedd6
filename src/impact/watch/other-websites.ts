/**
 * Decides whether the websites of this installation are silent together. Then the cause is likely between visitors and Belfry: its
 * own address, its proxy or its network.
 */
import { addMs, type Clock } from '../../lib/clock.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import { removeWwwLabel } from '../history/website-store.ts'
import { countUsualVisits, listBusiestWebsites, listHostsWithIncidents } from './other-websites-store.ts'
import { readLastVisits } from './visits-store.ts'

/**
 * If the other websites together expect this many visits, the probability that none of them arrives by chance is 1 in
 * 150.
 */
const MIN_VISITS_EXPECTED = 5
/**
 * At least this many other websites must be silent, because one alone may be silent for reasons of its own. A website
 * counts only if it expects `MIN_WEBSITE_VISITS_EXPECTED` itself.
 */
const MIN_WEBSITES = 2
const MIN_WEBSITE_VISITS_EXPECTED = 1
/** A shorter time without visits carries no information, even for the busiest websites. */
const MIN_SILENCE_MS = MINUTE_MS
/**
 * How long the expected visits are reused. When all websites are silent, their checks need these numbers at about the
 * same time.
 */
const MAX_AGE_MS = 10 * SECOND_MS

interface ExpectedVisits {
  websiteId: number
  visits: number
}

export class OtherWebsites {
  readonly #db: Database
  readonly #clock: Clock
  #latest: { at: number; expected: Promise<ExpectedVisits[]> } | undefined

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#db = db
    this.#clock = clock
  }

  /** Whether other websites should have had visits by now, and none of them had any. */
  async areSilent(websiteId: number): Promise<boolean> {
    const others = (await this.#getExpectedVisits()).filter((website) => website.websiteId !== websiteId)
    const sum = others.reduce((total, { visits }) => total + visits, 0)
    const count = others.filter(({ visits }) => visits >= MIN_WEBSITE_VISITS_EXPECTED).length
    return sum >= MIN_VISITS_EXPECTED && count >= MIN_WEBSITES
  }

  #getExpectedVisits(): Promise<ExpectedVisits[]> {
    const now = this.#clock.now()
    const ageMs = now.getTime() - (this.#latest?.at ?? Number.NEGATIVE_INFINITY)
    if (this.#latest !== undefined && ageMs >= 0 && ageMs < MAX_AGE_MS) return this.#latest.expected
    const expected = this.#readExpectedVisits(now)
    expected.catch(() => {
      this.#latest = undefined
    })
    this.#latest = { at: now.getTime(), expected }
    return expected
  }

  /**
   * Returns how many visits each website usually has in the time since the last visit of any website. Websites that are
   * down are left out, because that explains their silence.
   */
  async #readExpectedVisits(now: Date): Promise<ExpectedVisits[]> {
    const [busiest, hostsDown] = await Promise.all([
      listBusiestWebsites(this.#db, now),
      listHostsWithIncidents(this.#db),
    ])
    const websites = busiest.filter(({ domain }) => !hostsDown.has(removeWwwLabel(domain)))
    const ids = websites.map(({ id }) => id)
    const weekAgo = addMs(now, -7 * DAY_MS)
    const lastVisits = await readLastVisits(this.#db, ids, weekAgo, now)
    const lastVisitAt = new Date(Math.max(weekAgo.getTime(), ...lastVisits.values().map((at) => at.getTime())))
    if (websites.length === 0 || addMs(lastVisitAt, MIN_SILENCE_MS) > now) return []
    return countUsualVisits(this.#db, ids, lastVisitAt, now)
  }
}
