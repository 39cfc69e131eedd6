/** The one rule for showing an uptime percentage, on pages and in messages. */

/** The highest percentage that is shown if there was any downtime. */
const MAX_UPTIME_WITH_DOWNTIME = 99.99

/**
 * Rounds down to two decimals, so that the result is 100 only if there was no downtime. The API rounds to three decimals, which
 * turns one second of downtime in a year into 100. Callers that know of downtime set `wasDown`.
 */
export function roundUptimePercent(percent: number, wasDown = false): number {
  if (percent >= 100 && !wasDown) return 100
  // In binary, 1.15 * 100 is slightly less than 115. Six decimals remove that error before rounding down.
  const rounded = Math.floor(Number((percent * 100).toFixed(6))) / 100
  return Math.min(rounded, MAX_UPTIME_WITH_DOWNTIME)
}

/** "99.50%", "99.99%" and "100%", in English. The pages use the browser's language instead. */
export function formatUptime(percent: number, wasDown = false): string {
  const rounded = roundUptimePercent(percent, wasDown)
  return rounded === 100 ? '100%' : `${rounded.toFixed(2)}%`
}
