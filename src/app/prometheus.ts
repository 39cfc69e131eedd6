/** Defines the metrics of Belfry with prom-client. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Figures } from './figures.ts'
import type { Metrics } from './metrics.ts'

/**
 * prom-client gives these gauges the suffix of counters, which `promtool check metrics` reports as a mistake. The same
 * numbers are available by type, as `nodejs_active_handles` and so on.
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
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
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

/**
 * Creates the metrics that are read from `Figures` at each scrape. Nodes, leases, alerts and checks are counted over
 * all nodes together, so every node reports the same numbers. The other metrics are about this node.
 */
function createGauges(registry: Registry): (figures: Figures) => void {
  const createGauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const nodes = new Gauge({
    name: 'belfry_nodes',
    help: 'Live nodes by role, as of the last heartbeat of this node. A node with several roles counts for each.',
    labelNames: ['role'],
    registers: [registry],
  })
  const leases = createGauge('belfry_leases', 'Leases of live nodes. A node has one, and a worker has two.')
  const leaseAge = createGauge('belfry_lease_age_seconds', 'Time since the last heartbeat of this node was stored.')
  const clockOffset = createGauge(
    'belfry_clock_offset_seconds',
    "How far the clock of this node is ahead of PostgreSQL's. Negative if it is behind.",
  )
  const diskFree = createGauge('belfry_disk_free_bytes', 'Free space on the disk of the data folder of this node.')
  const diskFull = createGauge('belfry_database_disk_full', '1 if the disk of the database is full, otherwise 0.')
  const waitingAlerts = createGauge('belfry_alerts_waiting', 'Alerts that are not delivered yet, at most 10,000.')
  const oldestAlert = createGauge('belfry_alerts_waiting_oldest_seconds', 'Age of the oldest alert that is waiting.')
  const overdueAlert = createGauge(
    'belfry_alerts_overdue_seconds',
    'How long the earliest alert that no node has begun to send is overdue; 0 below one minute.',
  )
  const degraded = new Gauge({
    name: 'belfry_degraded',
    help: 'Whether /readyz of this node reports a problem of this kind (1) or not (0).',
    labelNames: ['reason'],
    registers: [registry],
  })
  const overdueChecks = createGauge(
    'belfry_checks_overdue',
    'Checks that no node has started 2 seconds after they were due, at most 10,000.',
  )
  const mostOverdue = createGauge('belfry_checks_overdue_seconds', 'How long the oldest overdue check has been due.')

  const connections = new Gauge({
    name: 'belfry_database_connections',
    help: 'Database connections of this node by pool: in_use and idle ones, and how many callers or batches are waiting.',
    labelNames: ['pool', 'state'],
    registers: [registry],
  })

  return (figures) => {
    for (const [pool, { inUse, idle, waiting }] of figures.poolUsage) {
      connections.set({ pool, state: 'in_use' }, inUse)
      connections.set({ pool, state: 'idle' }, idle)
      connections.set({ pool, state: 'waiting' }, waiting)
    }
    for (const [role, count] of figures.nodesByRole) nodes.set({ role }, count)
    leases.set(figures.leases)
    leaseAge.set(figures.leaseAgeSeconds)
    clockOffset.set(figures.clockOffsetSeconds)
    diskFree.set(figures.diskFreeBytes)
    diskFull.set(figures.isDiskFull ? 1 : 0)
    waitingAlerts.set(figures.waitingAlerts)
    oldestAlert.set(figures.oldestAlertSeconds)
    overdueAlert.set(figures.overdueAlertSeconds)
    for (const [reason, isDegraded] of figures.degradedKinds) degraded.set({ reason }, Number(isDegraded))
    overdueChecks.set(figures.overdueChecks)
    mostOverdue.set(figures.mostOverdueSeconds)
  }
}
