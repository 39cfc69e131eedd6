/**
 * Monitored targets that responded recently. If `BELFRY_CANARIES` is not set, they serve as reachability targets: when
 * the target of a check is unreachable, probing a few of them shows whether our own network is down. They come from as many users as
 * possible, because a user controls their own targets and could let them respond to checks but not to these probes.
 */
import { defaultHttpSettings } from '../monitors/http-schema.ts'
import { defaultOptions } from '../monitors/option-schemas.ts'
import { countUnrelated, type NetworkGroup, toNetworkGroup } from './network-groups.ts'
import type { Target } from './probes/probe.ts'
import { MIN_FAILING_USERS } from './reachability-history.ts'

export interface MonitorKey {
  teamId: number
  monitorId: number
}

export interface FallbackTarget {
  monitor: MonitorKey
  target: Target
  group: NetworkGroup
  /** The time of the last response, from `performance.now`. */
  lastResponseAt: number
}

interface UserTargets {
  /** The time of the last response from any target, including those that can't be fallback targets. */
  lastResponseAt: number
  lastAddition: { at: number; origin: string }
  /** The targets by domain. The target with the latest response is the last entry. */
  targets: Map<string, FallbackTarget>
}

const MAX_RESPONSE_AGE_MS = 600_000
const MAX_TARGETS_PER_USER = 8
const MAX_USERS = 200
/**
 * Adding a target takes microseconds, but thousands of targets may respond every second. Once a user has the maximum
 * number of targets, at most one is added every `ADD_INTERVAL_MS`. Once there are `MAX_USERS` users, the same limit
 * applies to new users.
 */
const ADD_INTERVAL_MS = 20

export class FallbackTargets {
  readonly #users = new Map<number, UserTargets>()
  #lastUserAddedAt = Number.NEGATIVE_INFINITY

  add(monitor: MonitorKey, target: Target, address: string | null, now: number): void {
    const user = this.#users.get(monitor.teamId) ?? this.#addUser(monitor.teamId, now)
    if (user === undefined) return
    user.lastResponseAt = now
    const { targets, lastAddition } = user
    if (targets.size >= MAX_TARGETS_PER_USER && now - lastAddition.at < ADD_INTERVAL_MS) return
    // Monitors on the same server often respond one after another. One target per server is enough.
    const isSameOrigin = target.url.startsWith(lastAddition.origin) && now - lastAddition.at < MAX_RESPONSE_AGE_MS / 2
    if (isSameOrigin || !isSafeToRepeat(target)) return
    user.lastAddition = {
      at: now,
      origin: target.type === 'http' ? (URL.parse(target.url)?.origin ?? target.url) : target.url,
    }
    const group = toNetworkGroup(target, address)
    targets.delete(group.domain)
    targets.set(group.domain, { monitor, target: withoutUserSettings(target), group, lastResponseAt: now })
    if (targets.size > MAX_TARGETS_PER_USER) targets.delete(targets.keys().next().value as string)
  }

  #addUser(teamId: number, now: number): UserTargets | undefined {
    if (this.#users.size >= MAX_USERS) {
      if (now - this.#lastUserAddedAt < ADD_INTERVAL_MS) return undefined
      this.#users.delete(this.#users.keys().next().value as number)
    }
    this.#lastUserAddedAt = now
    const user = { lastResponseAt: now, lastAddition: { at: 0, origin: 'none' }, targets: new Map() }
    this.#users.set(teamId, user)
    return user
  }

  remove(teamId: number, { domain }: NetworkGroup): void {
    this.#users.get(teamId)?.targets.delete(domain)
  }

  /** The users whose targets responded recently. */
  listTeamIds(now: number): number[] {
    return [...this.#users]
      .filter(([, { lastResponseAt }]) => now - lastResponseAt < MAX_RESPONSE_AGE_MS)
      .map(([teamId]) => teamId)
  }

  /**
   * Returns targets that share neither domain nor network with `excludedGroup`: one target of each user, the latest
   * response first. If there are fewer than `MIN_FAILING_USERS` users, the other targets of these users follow.
   */
  list(now: number, excludedGroup?: NetworkGroup): FallbackTarget[] {
    const isUsable = ({ lastResponseAt, group }: FallbackTarget) =>
      now - lastResponseAt < MAX_RESPONSE_AGE_MS &&
      (excludedGroup === undefined || countUnrelated([excludedGroup, group]) === 2)
    const targetsByTeam = this.#users
      .values()
      .map(({ targets }) => [...targets.values()].filter(isUsable).reverse())
      .filter((targets) => targets.length > 0)
      .toArray()
      .sort(([a], [b]) => (b as FallbackTarget).lastResponseAt - (a as FallbackTarget).lastResponseAt)
    const maxPerTeam = targetsByTeam.length < MIN_FAILING_USERS ? MAX_TARGETS_PER_USER : 1
    return Array.from({ length: maxPerTeam }, (_, n) => targetsByTeam.map((targets) => targets[n]))
      .flat()
      .filter((target) => target !== undefined)
  }
}

/**
 * Any response shows that the network is up, so the probe doesn't send the owner's headers, request body or TCP text.
 */
function withoutUserSettings(target: Target): Target {
  if (target.type === 'tcp') return { ...target, tcp: defaultOptions.tcp }
  if (target.type !== 'http') return target
  return { ...target, http: { ...defaultHttpSettings, method: target.http.method, verify_tls: false } }
}

function isSafeToRepeat(target: Target): boolean {
  if (target.type === 'http') return ['GET', 'HEAD'].includes(target.http.method)
  return ['ping', 'tcp', 'tls'].includes(target.type)
}
