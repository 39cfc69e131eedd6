/** Computes when a monitor's next check is due. This module is pure. */

/** A check that starts later than this after its due time is overdue. */
export const OVERDUE_AFTER_MS = 2_000

/** 2^32 divided by the golden ratio. Modulo 2^32, the multiples of this number are spread evenly, however many there are. */
const GOLDEN_RATIO_STEP = 2_654_435_769

/**
 * Each monitor has a fixed offset within its interval, which spreads checks evenly even if all monitors started
 * together.
 */
export function computeOffset(monitorId: number, intervalMs: number): number {
  return ((Math.imul(monitorId % 2 ** 32, GOLDEN_RATIO_STEP) >>> 0) / 2 ** 32) * intervalMs
}

/** To return to its offset, a monitor shortens the time between two checks by at most this share of the interval. */
const MAX_EARLY_SHARE = 0.1

/**
 * The next check is due one interval after the last due time. After an overdue check, the interval starts now instead;
 * otherwise checks that were overdue together would all be due together again. If the due time has drifted from the
 * monitor's offset, each check is due slightly earlier until the due time matches the offset again. The next check
 * is never due later than one interval after now.
 */
export function computeNextDueAt(
  monitorId: number,
  intervalMs: number,
  { due, now }: { due: number; now: number },
): number {
  const latestDueAt = (now - due > OVERDUE_AFTER_MS ? now : Math.min(due, now)) + intervalMs
  const driftMs = mod(latestDueAt - computeOffset(monitorId, intervalMs), intervalMs)
  return Math.ceil(latestDueAt - Math.min(driftMs, MAX_EARLY_SHARE * intervalMs))
}

const mod = (a: number, b: number) => ((a % b) + b) % b
