/** Everything the server counts for Prometheus. Each folder declares the counters it increments. */
import type { DeliveryMetrics } from '../alerts/outbox.ts'
import type { CheckMetrics } from '../checker/check-loop.ts'
import type { RequestMetrics } from '../http/route-deps.ts'
import type { EventMetrics } from '../traffic/collect/intake.ts'

export interface Metrics extends CheckMetrics, DeliveryMetrics, EventMetrics, RequestMetrics {
  /** Sets the number of events that are stored but not rolled up yet. */
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
