import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** One registry a server, so that several in one process (tests) do not meet. */
export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return {
    registry,
    requests: new Counter({
      name: 'belfry_http_requests_total',
      help: 'Requests answered, by method, route and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
    }),
    requestSeconds: new Histogram({
      name: 'belfry_http_request_seconds',
      help: 'Time from a request to its answer.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers: [registry],
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
