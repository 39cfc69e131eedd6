/** Everything the server counts for Prometheus. Each folder declares the counters it increments. */
import type { DeliveryMetrics } from '../alerts/alert-outbox.ts'
import type { CheckMetrics } from '../checker/check-loop.ts'
import type { RequestMetrics } from '../http/route-deps.ts'
import type { EventMetrics } from '../traffic/collect/steps.ts'
import type { Figures } from './figures.ts'

export interface Metrics extends CheckMetrics, DeliveryMetrics, EventMetrics, RequestMetrics {
  /** Events that are stored but not rolled up yet. */
  setWaitingEvents(count: number): void
}

export const noMetrics: Metrics = {
  setWaitingEvents() {},
  countEvent() {},
  countDelivery() {},
  countCheck() {},
  countRequest() {},
  write: async () => ({ type: 'text/plain', text: '' }),
}

/** Without a token nobody can read the metrics, so nothing is counted, and the 80 files of prom-client are not loaded. */
export async function openMetrics(token: string | undefined, readFigures: () => Promise<Figures>): Promise<Metrics> {
  if (token === undefined) return noMetrics
  const { createPrometheus } = await import('./prometheus.ts')
  return createPrometheus(readFigures)
}
