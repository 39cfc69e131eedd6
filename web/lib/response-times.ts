/** Response times of the monitors on the screen, fetched for many rows in one request. */
import { useEffect, useState } from 'preact/hooks'
import type { OverviewResponseTimes } from '../../src/overview/schema.ts'
import { MAX_RESPONSE_TIME_MONITORS } from '../../src/shared/limits.ts'
import { MINUTE_MS } from '../../src/shared/time.ts'
import { api, type ItemResponse, withQuery } from './api.ts'

export interface ResponseTimes {
  /** Start of the first hour. */
  startsAt: string
  /** Average of each hour in milliseconds. */
  hours: readonly (number | null)[]
}

interface CachedTimes {
  times: ResponseTimes | undefined
  fetchedAt: number
}

/** Rows that scroll by within this time cause no request. */
const COLLECT_MS = 80
const MAX_AGE_MS = 5 * MINUTE_MS

const cache = new Map<number, CachedTimes>()
/** Rows that wait for their response times, by monitor. */
const waitingRows = new Map<number, Set<() => void>>()
let timer: ReturnType<typeof setTimeout> | undefined

const isFresh = (id: number) => Date.now() - (cache.get(id)?.fetchedAt ?? 0) < MAX_AGE_MS

async function fetchWaiting(): Promise<void> {
  timer = undefined
  const ids = [...waitingRows.keys()].slice(0, MAX_RESPONSE_TIME_MONITORS)
  if (ids.length === 0) return
  const rows = ids.flatMap((id) => [...(waitingRows.get(id) ?? [])])
  for (const id of ids) waitingRows.delete(id)
  if (waitingRows.size > 0) timer = setTimeout(fetchWaiting, COLLECT_MS)
  const path = withQuery('api/overview/response-times', { monitors: ids.join(',') })
  // A row without its line is not worth an error message. The next visit of the page tries again.
  const response = await api.get<ItemResponse<OverviewResponseTimes>>(path).catch(() => undefined)
  if (response === undefined) return
  const { starts_at: startsAt, monitors } = response.data
  const hoursById = new Map(monitors.map(({ id, hours }) => [id, hours]))
  for (const id of ids) {
    const hours = hoursById.get(id)
    cache.set(id, { times: hours && { startsAt, hours }, fetchedAt: Date.now() })
  }
  for (const update of rows) update()
}

export const getCachedResponseTimes = (monitorId: number) => cache.get(monitorId)?.times

/** Undefined until they have arrived, and for a monitor without any. */
export function useResponseTimes(monitorId: number): ResponseTimes | undefined {
  const [, setVersion] = useState(0)
  useEffect(() => {
    if (isFresh(monitorId)) return
    const update = () => setVersion((version) => version + 1)
    const rows = waitingRows.get(monitorId) ?? new Set()
    waitingRows.set(monitorId, rows.add(update))
    timer ??= setTimeout(fetchWaiting, COLLECT_MS)
    return () => {
      rows.delete(update)
      if (rows.size === 0 && waitingRows.get(monitorId) === rows) waitingRows.delete(monitorId)
    }
  }, [monitorId])
  return getCachedResponseTimes(monitorId)
}
