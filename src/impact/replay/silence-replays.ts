/**
 * Replays the traffic alerts of a website over the last 12 months, so that its owner knows what to expect before
 * turning them on.
 */
import { domainToUnicode } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../lib/clock.ts'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { askWorker, KeptWorker, WorkerEndedError } from '../../lib/kept-worker.ts'
import { unavailable } from '../../lib/problem.ts'
import { findSeparateModule } from '../../lib/separate-module.ts'
import { DAY_MS, SECOND_MS } from '../../shared/time.ts'
import type { Database } from '../../storage/database.ts'
import type { Rollup } from '../../traffic/rollup/rollup.ts'
import { readVisitHistory } from '../history/read-visit-history.ts'
import { floorToSlot, SLOT_MS, type VisitHistory } from '../model/visit-history.ts'
import type { SilenceReplay } from '../silence/replay-silence.ts'
import type { ReplayJob, ReplayResult } from './silence-worker.ts'

/** Traffic alerts learn from the first two weeks, so these weeks are not replayed. */
const LEARNING_DAYS = 14
const REPLAYED_DAYS = 364
/** Each replay takes up to 300 ms of a core, and the server has other work. All replays share one thread. */
const MAX_CONCURRENT_REPLAYS = 1
/** The thread ends if it has had nothing to do for this long, to free its memory. */
const IDLE_MS = 30 * SECOND_MS
/** A replay is aborted after this time. On an overloaded machine, its thread may get hardly any CPU time. */
const MAX_REPLAY_MS = 30 * SECOND_MS
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

export interface ReplayedWebsite {
  id: number
  teamId: number
  domain: string
  timeZone: string
  quietDays: readonly string[]
  holidays: string | null
}

export interface WebsiteReplay extends ReplayResult {
  /** When the replay begins: at the end of the first two weeks of visits. */
  from: Date
  to: Date
  /** Turns a number of slots since the beginning of the history into a time. */
  timeOf(slots: number): Date
  /** Why the replay is impossible; null if it is possible. */
  basis: 'too_little_history' | 'too_little_traffic' | null
}

interface Deps {
  clock: Clock
  db: Database
  rollup: Pick<Rollup, 'rollUpWebsite'>
}

export class SilenceReplays {
  readonly #deps: Deps
  readonly #limiter = new ConcurrencyLimiter(MAX_CONCURRENT_REPLAYS)
  readonly #thread = new ReplayThread()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Ends a replay that is running. Its caller gets an error. */
  close(): void {
    this.#thread.close()
  }

  /** `alarmsAYear` is the number of false alarms a year that this website may cause. */
  replay(website: ReplayedWebsite, alarmsAYear: number): Promise<WebsiteReplay> {
    return this.#limiter.run(website.teamId, () => this.#replay(website, alarmsAYear))
  }

  async #replay(website: ReplayedWebsite, alarmsAYear: number): Promise<WebsiteReplay> {
    const { clock, db, rollup } = this.#deps
    await rollup.rollUpWebsite(website.id)
    // Visits of the current slot may still arrive.
    const to = floorToSlot(clock.now().getTime())
    const since = new Date(to - (REPLAYED_DAYS + LEARNING_DAYS) * DAY_MS)
    const trafficWebsite = { ...website, unicode: domainToUnicode(website.domain) }
    const { history, startsAt } = await db.snapshot((q) =>
      readVisitHistory(q, { website: trafficWebsite, from: since, to: new Date(to) }),
    )
    const replay = await this.#thread.run({
      history: copyHistory(history),
      startsAt,
      timeZone: website.timeZone,
      alarmsAYear,
    })
    return {
      ...replay,
      from: new Date(Math.min(to, startsAt.getTime() + LEARNING_DAYS * DAY_MS)),
      to: new Date(to),
      timeOf: (slots) => new Date(Math.round(startsAt.getTime() + slots * SLOT_MS)),
      basis: findBasis(history, replay),
    }
  }
}

function findBasis({ counts }: VisitHistory, { delayMinutes }: SilenceReplay): WebsiteReplay['basis'] {
  if (delayMinutes !== undefined) return delayMinutes.day === null ? 'too_little_traffic' : null
  const hasLearned = counts.length * SLOT_MS >= LEARNING_DAYS * DAY_MS
  return hasLearned && Array.from(counts).every((count) => count === 0) ? 'too_little_traffic' : 'too_little_history'
}

/** A thread gets a copy of the whole buffer behind an array, so this copies only the part with the history. */
function copyHistory({ counts, excluded, hourOfWeek }: VisitHistory): VisitHistory {
  return {
    counts: Uint32Array.from(counts),
    excluded: Uint8Array.from(excluded),
    hourOfWeek: Uint8Array.from(hourOfWeek),
  }
}

/** People often change a setting and look at the replay again, so the thread is kept between replays. */
class ReplayThread {
  readonly #worker = new KeptWorker(
    () => new Worker(findSeparateModule('silence-worker', import.meta.url), { resourceLimits }),
    IDLE_MS,
  )

  async run(job: ReplayJob): Promise<ReplayResult> {
    const signal = AbortSignal.timeout(MAX_REPLAY_MS)
    try {
      return await this.#worker.run((worker) => askWorker<ReplayResult>(worker, job, signal))
    } catch (error) {
      if (signal.aborted) throw unavailable('The server is too busy to replay a year. Try again in a minute.')
      if (error instanceof WorkerEndedError) throw unavailable('The replay was interrupted. Try again.')
      throw error
    }
  }

  close(): void {
    this.#worker.close()
  }
}
