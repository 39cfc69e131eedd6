import { createHook } from 'node:async_hooks'

/**
 * Measures the longest time for which one callback, with the promises that it resolves, keeps this thread busy. Nothing
 * else can run in that time. The time is CPU time, which doesn't grow if other processes use the cores.
 */
export class TurnMeter {
  #longestMs = 0
  #turnBegan = process.threadCpuUsage()
  readonly #hook = createHook({ before: () => this.#endTurn(), trackPromises: false })

  constructor() {
    this.#hook.enable()
  }

  /** Returns the longest time since the last call. */
  take(): number {
    this.#endTurn()
    const longestMs = this.#longestMs
    this.#longestMs = 0
    return longestMs
  }

  stop(): void {
    this.#hook.disable()
  }

  #endTurn(): void {
    const now = process.threadCpuUsage()
    const turnMs = (now.user + now.system - this.#turnBegan.user - this.#turnBegan.system) / 1_000
    this.#longestMs = Math.max(this.#longestMs, turnMs)
    this.#turnBegan = now
  }
}
