/**
 * How to ping within a timeout. There are only a few plans, because one fping process can serve only checks with the
 * same plan.
 */
export const PINGS_PER_CHECK = 3

export interface PingPlan {
  /** Time between two pings of the same address. */
  periodMs: number
  /** How long to wait for the last reply. */
  waitMs: number
  /** Per process. fping sends one packet a millisecond, so each address adds a millisecond. */
  maxAddresses: number
}

const plans = [500, 1_000, 2_000, 5_000, 10_000].map((durationMs) => ({
  durationMs,
  // A plan uses at most 85 % of its duration, which leaves time for the process to start.
  plan: {
    periodMs: Math.min(500, durationMs / 5),
    waitMs: Math.min(3_000, durationMs * 0.4),
    maxAddresses: durationMs / 20,
  },
}))

/**
 * A check that has just started has slightly less than its full timeout left, and still gets the plan of that timeout.
 */
const TOLERANCE_MS = 25

/** Returns undefined if too little time remains. */
export function planFor(remainingMs: number): PingPlan | undefined {
  return plans.findLast(({ durationMs }) => durationMs <= remainingMs + TOLERANCE_MS)?.plan
}
