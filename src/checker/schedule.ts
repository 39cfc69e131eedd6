/** When a monitor is due next. Pure. */

/** A check that begins later than this after it was due has been waiting. */
export const PUNCTUAL_MS = 2_000

/** So much of an interval may a check come earlier than its due time, to get back to its own place. */
const PULL = 0.1

/** 2^32 divided by the golden ratio: ids that follow each other end up far apart, and any number of them evenly. */
const GOLDEN = 2_654_435_769

/**
 * Each monitor has a place of its own within its interval, so that all together are spread evenly, whenever they were made,
 * resumed or caught up.
 */
export function placeOf(monitorId: number, intervalMs: number): number {
  return ((Math.imul(monitorId % 2 ** 32, GOLDEN) >>> 0) / 2 ** 32) * intervalMs
}

/**
 * One interval after the last due time; where that was some time ago, one interval from now, or all that waited together would
 * come together again. Who is out of place comes a little earlier each time until it is back, and never later than its interval.
 */
export function nextDue(monitorId: number, intervalMs: number, { due, now }: { due: number; now: number }): number {
  const latest = (now - due > PUNCTUAL_MS ? now : Math.min(due, now)) + intervalMs
  const beyond = mod(latest - placeOf(monitorId, intervalMs), intervalMs)
  return Math.ceil(latest - Math.min(beyond, PULL * intervalMs))
}

const mod = (a: number, b: number) => ((a % b) + b) % b
