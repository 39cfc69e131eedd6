/** The two monitors that watch the registration and the certificate of a website. */
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import { toDisplayHost } from './address.ts'
import { api, type ItemResponse, toApiProblem } from './api.ts'
import { describeFieldErrors } from './describe-field-errors.ts'
import type { OverviewMonitor } from './queries.ts'

export interface WatchTarget {
  type: 'domain' | 'tls'
  url: string
}

/** A website on localhost has no domain that could be registered. */
export function listWatchTargets(domain: string, registrableDomain: string | null): WatchTarget[] {
  const certificate: WatchTarget = { type: 'tls', url: domain }
  return registrableDomain === null ? [certificate] : [{ type: 'domain', url: registrableDomain }, certificate]
}

/** A certificate monitor of www.example.com also counts for example.com. */
export const findWatchingMonitor = (monitors: readonly OverviewMonitor[], { type, url }: WatchTarget) =>
  monitors.find((monitor) => monitor.type === type && monitor.url.replace(/^www\./, '') === url)

interface WatchResult {
  created: MonitorRecord[]
  /** Why a target can't be watched. */
  errors: Partial<Record<WatchTarget['type'], string>>
}

/** Adds a monitor for each target. If the server refuses one of the monitors, the others are still added. */
export async function watchTargets(targets: readonly WatchTarget[]): Promise<WatchResult> {
  const result: WatchResult = { created: [], errors: {} }
  for (const { type, url } of targets) {
    const name = `${toDisplayHost(url)} ${type === 'domain' ? 'domain' : 'certificate'}`
    try {
      const { data } = await api.post<ItemResponse<MonitorRecord>>('api/monitors', { friendly_name: name, type, url })
      result.created.push(data)
    } catch (error) {
      const problem = toApiProblem(error)
      const messages = Object.entries(problem.errors).flatMap(([field, texts]) => describeFieldErrors(texts, field))
      result.errors[type] = messages.join(' ') || problem.message
    }
  }
  return result
}
