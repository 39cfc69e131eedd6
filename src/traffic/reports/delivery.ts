/** Sends the reports that wait, a few at a time, and writes what became of them. */
import type { Logger } from 'pino'
import { failedOutcome, type Outcome, sentOutcome } from '../../alerts/outcome.ts'
import type { Config } from '../../config/config.ts'
import { after, type Clock } from '../../lib/clock.ts'
import { Rounds } from '../../lib/rounds.ts'
import type { Secret } from '../../lib/secret.ts'
import { within } from '../../lib/within.ts'
import { Endurance } from '../../nodes/endurance.ts'
import type { Lease } from '../../nodes/lease.ts'
import type { Courier } from '../../providers/courier.ts'
import { DeliveryError } from '../../providers/provider.ts'
import { isAway } from '../../storage/connection-loss.ts'
import { claimNext, dismiss, freeAbandoned, isWanted, release, settle, type WaitingReport } from './outbox-store.ts'
import type { ReportNeeds } from './report.ts'

const ROUND_MS = 60_000
/** Alerts have up to ten connections to the same mail server. */
const AT_ONCE = 3
/** The mail server is not there, or takes nothing: the rest waits for the next round. */
const FAILURES_MOST = 5
/** Half a week's numbers are still news, those of a whole week before are not. */
const GIVE_UP_HOURS = 48
/** Until what could not even be written is tried again: the database was away. */
const UNTRIED_REST_MS = 300_000
/** For letters that are on their way when this server stops, and again for writing what became of them. */
const GRACE_MS = 1_000

export interface ReportDeliveryNeeds extends ReportNeeds {
  config: Pick<Config, 'url'>
  clock: Clock
  log: Logger
  secret: Secret
  courier: Courier
  node: Pick<Lease, 'id' | 'hasId' | 'isHeld' | 'isCalm'>
}

interface Turn {
  claimant: number
  failuresInARow: number
  mayGoOn(): boolean
}

export class ReportDelivery {
  readonly #needs: ReportDeliveryNeeds
  readonly #rounds: Rounds
  readonly #endurance: Endurance

  constructor(needs: ReportDeliveryNeeds) {
    const { log } = needs
    this.#needs = needs
    this.#endurance = new Endurance(log)
    const work = (signal: AbortSignal) => this.#round(signal)
    this.#rounds = new Rounds({ name: 'sending weekly reports', everyMs: ROUND_MS, log, work })
  }

  start(): Promise<void> {
    return this.#rounds.start()
  }

  /** Until nothing is due any more. */
  run(): Promise<void> {
    return this.#rounds.run()
  }

  /** Letters on their way have a moment to arrive; then the courier is stopped with them. */
  async stop(): Promise<void> {
    this.#endurance.endIn(2 * GRACE_MS)
    const end = this.#rounds.stop()
    await within(GRACE_MS, end)
    await this.#needs.courier.stop()
    await within(GRACE_MS, end)
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { db, node } = this.#needs
    if (!node.isHeld()) return
    const claimant = node.id
    const turn: Turn = {
      claimant,
      failuresInARow: 0,
      mayGoOn: () => !signal.aborted && node.hasId(claimant) && node.isHeld() && turn.failuresInARow < FAILURES_MOST,
    }
    if (node.isCalm() && this.#endurance.isCalm()) await freeAbandoned(db, claimant)
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#sendAll(turn)))
  }

  /** Never rejects: the others at it are waited for. */
  async #sendAll(turn: Turn): Promise<void> {
    const { db, clock } = this.#needs
    try {
      while (turn.mayGoOn()) {
        const report = await claimNext(db, turn.claimant, clock.now())
        if (report === undefined) return
        await this.#send(turn, report)
      }
    } catch (error) {
      this.#endurance.complain(error, 'weekly reports cannot be sent')
    }
  }

  async #send(turn: Turn, report: WaitingReport): Promise<void> {
    const { db, clock } = this.#needs
    const { claimant } = turn
    const write = (work: () => Promise<void>) =>
      this.#endurance.insist('what became of a weekly report cannot be written', work)
    const outcome = await this.#attempt(turn, report)
    if (outcome === 'unwanted') return write(() => dismiss(db, claimant, report))
    if (outcome === 'cut off') return write(() => release(db, claimant, report))
    if (outcome === 'untried') {
      const notBefore = after(clock.now(), UNTRIED_REST_MS)
      return write(() => release(db, claimant, report, notBefore))
    }
    turn.failuresInARow = outcome.result === 'again' ? turn.failuresInARow + 1 : 0
    return write(() => settle(db, claimant, { report, outcome }))
  }

  /** 'untried': the database was away. 'cut off': this server stops, or the report is another's. Neither counts. */
  async #attempt(turn: Turn, report: WaitingReport): Promise<Outcome | 'unwanted' | 'untried' | 'cut off'> {
    const { db, clock, courier, log } = this.#needs
    try {
      // Only now: how numbers are written in words takes 6 MB, and not everybody wants reports.
      const { composeLetter } = await import('./letter.ts')
      const letter = await composeLetter(this.#needs, report)
      // As late as possible: whoever switches it off now has not got it yet.
      const wanted = await isWanted(db, turn.claimant, report)
      if (!turn.mayGoOn()) return 'cut off'
      if (!wanted) return 'unwanted'
      return sentOutcome(await courier.post(letter))
    } catch (error) {
      if (isAway(error)) {
        this.#endurance.complain(error, 'a weekly report cannot be written')
        return 'untried'
      }
      if (error instanceof DeliveryError && error.cutOff) return 'cut off'
      const { createdAt, attempts, messageId } = report
      const tried = { createdAt, attempts: attempts + 1, failures: 1, now: clock.now(), giveUpHours: GIVE_UP_HOURS }
      const outcome = failedOutcome(error, tried)
      const about = { report: messageId, website: report.site.id, reason: outcome.answer }
      if (!(error instanceof DeliveryError)) log.error({ ...about, err: error }, 'a weekly report failed unexpectedly')
      if (outcome.result === 'failed') log.warn(about, 'a weekly report was given up')
      return outcome
    }
  }
}
