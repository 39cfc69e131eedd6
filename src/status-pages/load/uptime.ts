import { computeUptimePercent } from '../../incidents/incidents.ts'
import { computeTotalLength, intersectSpans, normalizeSpans, type Spans } from '../../overview/spans.ts'
import { DAY_MS } from '../../shared/time.ts'

/** Returns the uptime of the last `days` × 24 hours in percent, or null if the monitor was not watched in this time. */
export function computeRecentUptime(watches: Spans, incidents: Spans, days: number, now: number): number | null {
  const from = now - days * DAY_MS
  const watched = normalizeSpans(watches, from, now)
  const down = intersectSpans(watched, normalizeSpans(incidents, from, now))
  return computeUptimePercent({
    watchedSeconds: computeTotalLength(watched) / 1000,
    watchedDowntimeSeconds: computeTotalLength(down) / 1000,
  })
}
