/** Defines the metrics of Belfry with prom-client. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Figures } from './figures.ts'
import type { Metrics } from './metrics.ts'
import { createGauges } from './prometheus-gauges.ts'

/**
 * Gauges of prom-client with the suffix of counters, which `promtool check metrics` reports. The same numbers are available by type, as
 * `nodejs_active_handles` and so on.
 */
const misnamedMetrics = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/** Each server has its own registry, so that several servers in one test process don't share counters. */
export function createPrometheus(readFigures: () => Promise<Figures>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of misnamedMetrics) registry.removeSingleMetric(name)

  const requests = new Counter({
    name: 'belfry_http_requests_total',
    help: 'HTTP requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const requestSeconds = new Histogram({
    name: 'belfry_http_request_seconds',
    help: 'Time from receiving a request to sending the response.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  const checks = new Counter({
    name: 'belfry_checks_total',
    help: 'Finished checks by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const checkLateness = new Histogram({
    name: 'belfry_check_lateness_seconds',
    help: 'Delay between the due time and the start of a check.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [registry],
  })
  const deliveries = new Counter({
    name: 'belfry_alert_attempts_total',
    help: 'Attempts to deliver an alert by provider type and result: sent, again (retried later) or failed.',
    labelNames: ['type', 'result'],
    registers: [registry],
  })
  const events = new Counter({
    name: 'belfry_events_total',
    help: 'Received analytics events by outcome: accepted, malformed, or the reason for dropping them.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const waitingEvents = new Gauge({
    name: 'belfry_events_waiting',
    help: 'Stored events that are not rolled up yet, as last counted by a worker.',
    registers: [registry],
  })

  const setGauges = createGauges(registry)

  return {
    setWaitingEvents: (count) => waitingEvents.set(count),
    countEvent: (outcome) => events.inc({ outcome }),
    countDelivery: (type, result) => deliveries.inc({ type, result }),
    countCheck(outcome, lateMs) {
      checks.inc({ outcome })
      checkLateness.observe(Math.max(0, lateMs) / 1000)
    },
    countRequest(method, route, status, seconds) {
      requests.inc({ method, route, status })
      requestSeconds.observe(seconds)
    },
    async write() {
      setGauges(await readFigures())
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}
