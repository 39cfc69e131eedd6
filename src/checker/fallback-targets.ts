/**
 * Monitored targets that responded recently. If `BELFRY_CANARIES` is not set, they serve as reachability targets: when
 * the target of a check is unreachable, probing a few of them shows whether our own network is down.
 */
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { countUnrelated, type NetworkGroup, toNetworkGroup } from './network-groups.ts'
import type { Target } from './probes/probe.ts'

export interface MonitorKey {
  userId: number
  monitorId: number
}

export interface FallbackTarget {
  monitor: MonitorKey
  target: Target
  group: NetworkGroup
  /** From `performance.now`. */
  lastResponseAt: number
}

const MAX_RESPONSE_AGE_MS = 600_000
const MAX_TARGETS = 32
/**
 * Adding a target takes microseconds, but thousands of targets may respond every second. Once this many are stored, at
 * most one is added every `ADD_INTERVAL_MS`.
 */
const SUFFICIENT_TARGETS = 8
const ADD_INTERVAL_MS = 20

export class FallbackTargets {
  /** Keyed by domain. The target with the latest response is the last entry. */
  readonly #targets = new Map<string, FallbackTarget>()
  #lastAddition = { at: 0, origin: 'none' }

  add(monitor: MonitorKey, target: Target, address: string | null, now: number): void {
    if (this.#targets.size >= SUFFICIENT_TARGETS && now - this.#lastAddition.at < ADD_INTERVAL_MS) return
    // Monitors on the same server often respond in a row. One of them is enough.
    const isSameOrigin =
      target.url.startsWith(this.#lastAddition.origin) && now - this.#lastAddition.at < MAX_RESPONSE_AGE_MS / 2
    if (isSameOrigin || !isSafeToRepeat(target)) return
    this.#lastAddition = { at: now, origin: URL.parse(target.url)?.origin ?? target.url }
    const group = toNetworkGroup(target, address)
    this.#targets.delete(group.domain)
    this.#targets.set(group.domain, { monitor, target: withoutUserSettings(target), group, lastResponseAt: now })
    if (this.#targets.size > MAX_TARGETS) this.#targets.delete(this.#targets.keys().next().value as string)
  }

  remove({ domain }: NetworkGroup): void {
    this.#targets.delete(domain)
  }

  /** Targets that share neither domain nor network with `group`, latest response first. */
  listUnrelated(group: NetworkGroup, now: number): FallbackTarget[] {
    return this.list(now).filter((fallback) => countUnrelated([group, fallback.group]) === 2)
  }

  /** Latest response first. */
  list(now: number): FallbackTarget[] {
    return [...this.#targets.values()]
      .filter(({ lastResponseAt }) => now - lastResponseAt < MAX_RESPONSE_AGE_MS)
      .reverse()
  }
}

/** Any response shows that the network is up, so the owner's headers and body are not sent. */
function withoutUserSettings(target: Target): Target {
  if (target.type === 'ping') return target
  return { ...target, http: { ...defaultHttpSettings, method: target.http.method, verify_tls: false } }
}

function isSafeToRepeat({ type, http }: Target): boolean {
  return type === 'ping' || http.method === 'GET' || http.method === 'HEAD'
}
