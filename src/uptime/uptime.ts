/**
 * Computes the uptime of a monitor for a period. Every page, message and response that shows uptime uses this function,
 * so that they agree.
 */
import { computeUptimePercent, type MonitoredTime } from '../shared/uptime.ts'
import { computeTotalLength, intersectSpans, normalizeSpans, type Spans } from './spans.ts'

/**
 * In monitored spans, Belfry checked the monitor without gaps and no maintenance was in progress. Spans that have not
 * ended last until infinity.
 */
export interface MonitorHistory {
  monitoredSpans: Spans
  incidentSpans: Spans
  /** When monitoring began; null if that was before the history was read, or if it has not begun. */
  monitoredSince: number | null
}

/** Epoch milliseconds. The end does not belong to the period. */
export interface UptimePeriod {
  from: number
  to: number
}

export interface Uptime extends MonitoredTime {
  monitoredSince: number | null
  /** Downtime in monitored spans. Other downtime doesn't count, so that the uptime is never negative. */
  downMs: number
  percent: number | null
}

export function computeUptime(
  history: MonitorHistory,
  period: UptimePeriod,
  { monitored, down } = clipHistory(history, period),
): Uptime {
  const [monitoredMs, downMs] = [computeTotalLength(monitored), computeTotalLength(down)]
  return {
    monitoredMs,
    downMs,
    percent: computeUptimePercent(monitoredMs, downMs),
    monitoredSince: findMonitoredSince(history, period),
  }
}

/** Clips the history to the period. `down` has only downtime in monitored spans. */
export function clipHistory(
  { monitoredSpans, incidentSpans }: MonitorHistory,
  { from, to }: UptimePeriod,
): { monitored: Spans; down: Spans } {
  const monitored = normalizeSpans(monitoredSpans, from, to)
  const down = incidentSpans.length === 0 ? [] : intersectSpans(monitored, normalizeSpans(incidentSpans, from, to))
  return { monitored, down }
}

function findMonitoredSince({ monitoredSince }: MonitorHistory, { from, to }: UptimePeriod): number | null {
  return monitoredSince !== null && monitoredSince > from && monitoredSince < to ? monitoredSince : null
}

/** Counts the incidents that have a part in the downtime of the period. */
export function countIncidents(history: MonitorHistory, period: UptimePeriod): number {
  const monitored = normalizeSpans(history.monitoredSpans, period.from, period.to)
  let count = 0
  for (let index = 0; index < history.incidentSpans.length; index += 2) {
    if (intersectSpans(monitored, history.incidentSpans.slice(index, index + 2)).length > 0) count += 1
  }
  return count
}

/** The total length of the incidents in the period, whether the monitor was monitored at that time or not. */
export function sumIncidents({ incidentSpans }: MonitorHistory, { from, to }: UptimePeriod): number {
  return computeTotalLength(normalizeSpans(incidentSpans, from, to))
}
