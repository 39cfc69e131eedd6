/** How to ping within a time: few plans, so that many who ask at once can share one. */
export const PINGS = 3

export interface Plan {
  /** Between two pings. */
  periodMs: number
  /** For the last reply. */
  waitMs: number
  /** In one process, which sends one a millisecond. */
  mostAddresses: number
}

const plans = [500, 1_000, 2_000, 5_000, 10_000].map((withinMs) => ({
  withinMs,
  // In all 0.85 of the time, so that a process has time to start.
  plan: {
    periodMs: Math.min(500, withinMs / 5),
    waitMs: Math.min(3_000, withinMs * 0.4),
    mostAddresses: withinMs / 20,
  },
}))

/** Moments that went by since a round time was set do not matter. */
const SLACK_MS = 25

/** undefined: there is no time left. */
export function planFor(leftMs: number): Plan | undefined {
  return plans.findLast(({ withinMs }) => withinMs <= leftMs + SLACK_MS)?.plan
}
