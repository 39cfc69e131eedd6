/** Response times of the monitors on the screen, fetched for many rows in one request. */
import { useEffect, useState } from 'preact/hooks'
import type { OverviewResponseTimes } from '../../src/overview/schema.ts'
import { MAX_RESPONSE_TIME_MONITORS } from '../../src/shared/limits.ts'
import { MINUTE_MS } from '../../src/shared/time.ts'
import { afterPaint } from './after-paint.ts'
import { api, type ItemResponse, withQuery } from './api.ts'
import { type ResponseTrend, selectResponseTrend } from './trends.ts'

interface CachedTimes {
  /** null if there are too few response times for a line. */
  trend: ResponseTrend | null
  fetchedAt: number
}

/**
 * When rows are painted, their request waits this long for more rows to join it. While the page scrolls, it waits until the page has not
 * moved for this long, because painting sparklines would slow scrolling down. Rows that have left the window by then are not requested.
 */
const COLLECT_MS = 80
/**
 * This is shorter than the time after which a page refreshes its monitors, so each refresh also fetches new response
 * times.
 */
const MAX_AGE_MS = 4 * MINUTE_MS

const cache = new Map<number, CachedTimes>()
/** Rows that wait for their response times, by monitor. */
const waitingRows = new Map<number, Set<() => void>>()
let isScheduled = false
let lastScrollAt = Number.NEGATIVE_INFINITY
addEventListener(
  'scroll',
  () => {
    lastScrollAt = performance.now()
  },
  { passive: true },
)

const isFresh = (id: number) => Date.now() - (cache.get(id)?.fetchedAt ?? 0) < MAX_AGE_MS

function scheduleFetch(): void {
  if (isScheduled) return
  isScheduled = true
  afterPaint(fetchWhenStill, COLLECT_MS)
}

function fetchWhenStill(): void {
  if (performance.now() - lastScrollAt < COLLECT_MS) setTimeout(fetchWhenStill, COLLECT_MS)
  else void fetchWaiting()
}

async function fetchWaiting(): Promise<void> {
  isScheduled = false
  const ids = [...waitingRows.keys()].slice(0, MAX_RESPONSE_TIME_MONITORS)
  if (ids.length === 0) return
  const rows = ids.flatMap((id) => [...(waitingRows.get(id) ?? [])])
  for (const id of ids) waitingRows.delete(id)
  if (waitingRows.size > 0) scheduleFetch()
  const path = withQuery('api/overview/response-times', { monitors: ids.join(',') })
  // If the request fails, rows keep the line chart that they have, or show none. That is not worth an error message. The
  // next refresh of the monitors tries again.
  const response = await api.get<ItemResponse<OverviewResponseTimes>>(path).catch(() => undefined)
  if (response === undefined) return
  const { starts_at, recent_starts_at, monitors } = response.data
  const monitorsById = new Map(monitors.map((monitor) => [monitor.id, monitor]))
  for (const id of ids) {
    const monitor = monitorsById.get(id)
    const trend = monitor === undefined ? null : selectResponseTrend({ ...monitor, starts_at, recent_starts_at })
    cache.set(id, { trend, fetchedAt: Date.now() })
  }
  for (const update of rows) update()
}

export const getCachedResponseTrend = (monitorId: number) => cache.get(monitorId)?.trend

/**
 * Returns undefined until the response times have arrived, and null if there are too few for a line. Pass the monitor's
 * record itself: a new object means that the page has refetched its data.
 */
export function useResponseTrend(monitor: { id: number }): ResponseTrend | null | undefined {
  const [, setVersion] = useState(0)
  useEffect(() => {
    const { id } = monitor
    if (isFresh(id)) return
    const update = () => setVersion((version) => version + 1)
    const rows = waitingRows.get(id) ?? new Set()
    waitingRows.set(id, rows.add(update))
    scheduleFetch()
    return () => {
      rows.delete(update)
      if (rows.size === 0 && waitingRows.get(id) === rows) waitingRows.delete(id)
    }
  }, [monitor])
  return getCachedResponseTrend(monitor.id)
}
