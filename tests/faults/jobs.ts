/** Jobs that send beats all the time, and retry like `curl --retry` if a node is down or refuses a beat. */
import { setTimeout as delay } from 'node:timers/promises'

const BEAT_INTERVAL_MS = 1_000
const RETRY_DELAY_MS = 250
const RESPONSE_TIMEOUT_MS = 5_000

export class Jobs {
  /** How many beats were acknowledged. */
  acknowledgedCount = 0
  /** Responses other than `OK` and 503. */
  readonly unexpectedResponses: string[] = []
  readonly #listNodeUrls: () => string[]
  readonly #loops: Promise<void>[] = []
  #isStopped = false

  constructor(listNodeUrls: () => string[]) {
    this.#listNodeUrls = listNodeUrls
  }

  /** Sends beats to the heartbeat with this token until the jobs are stopped. */
  start(token: string): void {
    const sendBeats = async () => {
      while (!this.#isStopped) {
        await this.send(token)
        await delay(BEAT_INTERVAL_MS)
      }
    }
    this.#loops.push(sendBeats())
  }

  /**
   * Resolves once the beat is acknowledged, or the jobs are stopped. `path` is the token of the heartbeat. An exit code
   * can follow it, as in `<token>/7`.
   */
  async send(path: string, output?: string): Promise<void> {
    for (let attempt = 0; !this.#isStopped; attempt++) {
      const urls = this.#listNodeUrls()
      const url = urls[attempt % urls.length]
      if (url !== undefined && (await this.#sendTo(`${url}/beat/${path}`, output))) return
      await delay(RETRY_DELAY_MS)
    }
  }

  async #sendTo(url: string, output: string | undefined): Promise<boolean> {
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS)
    const options = output === undefined ? { signal } : { signal, method: 'POST', body: output }
    try {
      const response = await fetch(url, options)
      const text = await response.text()
      if (response.status === 200 && text === 'OK') {
        this.acknowledgedCount++
        return true
      }
      if (response.status !== 503) this.unexpectedResponses.push(`${response.status} ${text}`)
    } catch {
      // The node was killed. The next attempt sends the beat to another node.
    }
    return false
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#loops)
  }
}
