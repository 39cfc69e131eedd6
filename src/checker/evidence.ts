/** What was reached lately and what was not, and whether that is the doing of our own network. Times are of `performance.now`. */
import { countUnrelated, type Kin } from './kinship.ts'

const LEAST_UNRELATED = 5
/** Something in our own rack may still answer. */
const NEARLY_ALL = 0.9
const REMEMBER_MS = 60_000
/** Of each; more would not change the share that counts. */
const REMEMBER_MOST = 500

export const enoughToKnow = (unrelated: number) => unrelated >= LEAST_UNRELATED

export class Evidence {
  #failures: { kin: Kin; at: number }[] = []
  #answers: number[] = []

  noteAnswer(now: number): void {
    if (this.#answers.push(now) > REMEMBER_MOST) this.#answers = this.#answers.slice(-REMEMBER_MOST / 2)
  }

  noteFailure(kin: Kin, now: number): void {
    if (this.#failures.push({ kin, at: now }) > REMEMBER_MOST) this.#failures = this.#failures.slice(-REMEMBER_MOST / 2)
  }

  /** By all that ended since then. */
  judge(since: number, now: number): 'sees' | 'blind' | 'unclear' {
    const from = Math.max(since, now - REMEMBER_MS)
    const failed = this.#failures.filter(({ at }) => at >= from)
    const answered = this.#answers.filter((at) => at >= from).length
    if (failed.length < NEARLY_ALL * (failed.length + answered)) return 'sees'
    return enoughToKnow(countUnrelated(failed.map(({ kin }) => kin))) ? 'blind' : 'unclear'
  }

  hasAnswer(since: number): boolean {
    return this.#answers.some((at) => at >= since)
  }

  forget(): void {
    this.#failures = []
    this.#answers = []
  }
}
