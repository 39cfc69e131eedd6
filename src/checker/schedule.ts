/** When a monitor is due next. Pure. */

/** A check that starts later than this after its due time is overdue. */
export const OVERDUE_AFTER_MS = 2_000

/** A check may come early by this share of its interval, to move towards the offset of its monitor. */
const MAX_EARLY_SHARE = 0.1

/** 2^32 divided by the golden ratio: multiples of it spread evenly, however many monitors there are. */
const GOLDEN_RATIO_STEP = 2_654_435_769

/**
 * Each monitor has a fixed offset within its interval, which spreads checks evenly even if all monitors started
 * together.
 */
export function offsetInInterval(monitorId: number, intervalMs: number): number {
  return ((Math.imul(monitorId % 2 ** 32, GOLDEN_RATIO_STEP) >>> 0) / 2 ** 32) * intervalMs
}

/**
 * Returns one interval after the last due time. After an overdue check it counts from now instead. Otherwise all checks
 * that were overdue together would be due together again. A monitor that is away from its offset is checked slightly
 * early each time until it is back, and never later than its interval.
 */
export function nextDueAt(monitorId: number, intervalMs: number, { due, now }: { due: number; now: number }): number {
  const latest = (now - due > OVERDUE_AFTER_MS ? now : Math.min(due, now)) + intervalMs
  const pastOffset = mod(latest - offsetInInterval(monitorId, intervalMs), intervalMs)
  return Math.ceil(latest - Math.min(pastOffset, MAX_EARLY_SHARE * intervalMs))
}

const mod = (a: number, b: number) => ((a % b) + b) % b
