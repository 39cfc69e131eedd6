/** Targets that answered lately: when something cannot be reached, they are asked whether we can reach anything. */
import { plainHttp } from '../monitors/http-schema.ts'
import { countUnrelated, type Kin, kinOf } from './kinship.ts'
import type { Target } from './probes/probe.ts'

/** Whose target it is. */
export interface MonitorKey {
  userId: number
  monitorId: number
}

export interface Witness {
  monitor: MonitorKey
  target: Target
  kin: Kin
  /** When it answered last, of `performance.now`. */
  at: number
}

const FRESH_MS = 600_000
const MOST = 32
/** When there are as many, others are looked at so often at most: it takes microseconds, and there are thousands a second. */
const ENOUGH = 8
const EVERY_MS = 20

export class Witnesses {
  /** By their domain; whoever answered last stands last. */
  readonly #all = new Map<string, Witness>()
  #last = { at: 0, origin: 'none' }

  add(monitor: MonitorKey, target: Target, address: string | null, now: number): void {
    if (this.#all.size >= ENOUGH && now - this.#last.at < EVERY_MS) return
    // Many monitors of one server follow each other.
    const isSame = target.url.startsWith(this.#last.origin) && now - this.#last.at < FRESH_MS / 2
    if (isSame || !isHarmless(target)) return
    this.#last = { at: now, origin: URL.parse(target.url)?.origin ?? target.url }
    const kin = kinOf(target, address)
    this.#all.delete(kin.domain)
    this.#all.set(kin.domain, { monitor, target: plainly(target), kin, at: now })
    if (this.#all.size > MOST) this.#all.delete(this.#all.keys().next().value as string)
  }

  remove({ domain }: Kin): void {
    this.#all.delete(domain)
  }

  /** Those that have nothing to do with `about`, the latest first. */
  unrelatedTo(about: Kin, now: number): Witness[] {
    return this.latest(now).filter(({ kin }) => countUnrelated([about, kin]) === 2)
  }

  latest(now: number): Witness[] {
    return [...this.#all.values()].filter(({ at }) => now - at < FRESH_MS).reverse()
  }
}

/** Without what its owner sends along: any answer will do. */
function plainly(target: Target): Target {
  if (target.type === 'ping') return target
  return { ...target, http: { ...plainHttp, method: target.http.method, verify_tls: false } }
}

/** Asking once more changes nothing there. */
function isHarmless({ type, http }: Target): boolean {
  return type === 'ping' || http.method === 'GET' || http.method === 'HEAD'
}
