/** Keeps the downtime that the server sent up to date while an incident is ongoing. */
import { SECOND_MS } from '../../../src/shared/time.ts'

interface WindowDowntime {
  from: string
  to: string
  downtime_seconds: number
}

const toSeconds = (ms: number) => Math.max(0, Math.floor(ms / SECOND_MS))

/**
 * The ongoing incident has become longer since the response. Updates its part of the downtime. If it is the only incident
 * of the window, the downtime equals its duration. `now` is the server's time in Unix milliseconds.
 */
export function growDowntime(
  { from, to, downtime_seconds }: WindowDowntime,
  downSince: string | null,
  now: number,
): number {
  if (downSince === null) return downtime_seconds
  const [start, end, openedAt] = [from, to, downSince].map((at) => Date.parse(at)) as [number, number, number]
  const elapsedMs = Math.max(0, now - end)
  const countedSeconds = toSeconds(end - Math.max(start, openedAt))
  const currentSeconds = toSeconds(end + elapsedMs - Math.max(start + elapsedMs, openedAt))
  return downtime_seconds - countedSeconds + currentSeconds
}
