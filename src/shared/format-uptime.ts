/** The one rule for showing an uptime percentage, on pages and in messages. */

/** Rounds down to two decimals, so that the result is 100 only if there was no downtime. */
export function roundUptimePercent(percent: number): number {
  // In binary, 1.15 * 100 is slightly less than 115. Six decimals remove that error before rounding down.
  return percent >= 100 ? 100 : Math.min(99.99, Math.floor(Number((percent * 100).toFixed(6))) / 100)
}

/** "99.50%", "99.99%" and "100%", in English. The pages use the browser's language instead. */
export function formatUptime(percent: number): string {
  const rounded = roundUptimePercent(percent)
  return rounded === 100 ? '100%' : `${rounded.toFixed(2)}%`
}
