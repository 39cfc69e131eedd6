/**
 * Plans that say how to ping within a timeout. There are only a few, because checks can share an fping process only if
 * they have the same plan.
 */

export const PINGS_PER_CHECK = 3

export interface PingPlan {
  /** Time between two pings of the same address. */
  periodMs: number
  /** How long to wait for the last reply. */
  waitMs: number
  /** One fping process pings all addresses that arrive within this time. */
  batchWindowMs: number
  /**
   * Maximum number of addresses per process. fping sends one packet per millisecond, so each address makes its run a
   * millisecond longer.
   */
  maxAddresses: number
}

const plansByDuration = [500, 1_000, 2_000, 5_000, 10_000].map((durationMs) => ({
  durationMs,
  // Pinging takes at most 85 % of `durationMs`, and waiting for other addresses 4 %. The rest is for starting the process.
  plan: {
    periodMs: Math.min(500, durationMs / 5),
    waitMs: Math.min(3_000, durationMs * 0.4),
    // Starting a process takes 5 ms of CPU time, more than a whole HTTP check, so a longer window is much cheaper.
    batchWindowMs: Math.min(250, durationMs * 0.04),
    maxAddresses: durationMs / 20,
  },
}))

/**
 * When a check chooses its plan, slightly less than its timeout remains. It still gets the plan for its full timeout.
 */
const TOLERANCE_MS = 25

/** Returns the longest plan that fits into the remaining time, or undefined if none fits. */
export function findPingPlan(remainingMs: number): PingPlan | undefined {
  return plansByDuration.findLast(({ durationMs }) => durationMs <= remainingMs + TOLERANCE_MS)?.plan
}
