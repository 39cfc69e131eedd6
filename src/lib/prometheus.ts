/** In the words of Prometheus. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Metrics } from './metrics.ts'

/** One registry a server, so that several in one process (tests) do not meet. */
export function createPrometheus(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  // Counted by hand and handed over when somebody looks: labels cost more than the count, on every request.
  const answered = new Map<string, number>()
  new Counter({
    name: 'belfry_http_requests_total',
    help: 'Requests answered, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [name, count] of answered) {
        const [method = '', route = '', status = ''] = name.split(' ')
        this.inc({ method, route, status }, count)
      }
    },
  })
  const requestSeconds = new Histogram({
    name: 'belfry_http_request_seconds',
    help: 'Time from a request to its answer.',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })

  const checks = new Counter({
    name: 'belfry_checks_total',
    help: 'Checks done, by what came of them.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const checkLateness = new Histogram({
    name: 'belfry_check_lateness_seconds',
    help: 'Time from when a check was due to when it began.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    registers: [registry],
  })

  const deliveries = new Counter({
    name: 'belfry_alert_attempts_total',
    help: 'Attempts to deliver an alert, by the kind of provider and what became of them: sent, again, failed.',
    labelNames: ['type', 'result'],
    registers: [registry],
  })

  const events = new Map<string, number>()
  new Counter({
    name: 'belfry_events_total',
    help: 'Events of visitors: accepted, malformed, or why they were dropped.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, count] of events) this.inc({ outcome }, count)
    },
  })

  const eventsWaiting = new Gauge({
    name: 'belfry_events_waiting',
    help: 'Events that are kept but not added up yet, as a worker last saw it.',
    registers: [registry],
  })

  return {
    noteWaitingEvents(count) {
      eventsWaiting.set(count)
    },
    countEvent(outcome) {
      events.set(outcome, (events.get(outcome) ?? 0) + 1)
    },
    countDelivery(type, result) {
      deliveries.inc({ type, result })
    },
    countCheck(outcome, lateMs) {
      checks.inc({ outcome })
      checkLateness.observe(Math.max(0, lateMs) / 1000)
    },
    countRequest(method, route, status, seconds) {
      const name = `${method} ${route} ${status}`
      answered.set(name, (answered.get(name) ?? 0) + 1)
      requestSeconds.observe(seconds)
    },
    async write() {
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}
