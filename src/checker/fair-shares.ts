/** Divides check slots, claims and writes between users, so that no user delays the checks of the others. This module is pure. */
import type { ClaimCounts, UserClaimCounts } from './claim-rate-limiter.ts'
import { MAX_HELD_PER_FREE_SLOT } from './probes/check-slots.ts'

export interface UserDemand extends UserClaimCounts {
  heldSlots: number
}

interface ClaimLimits {
  freeSlots: number
  allowance: ClaimCounts
  /** Maximum number of checks to claim for all users together. */
  room: number
}

/**
 * Returns how many due checks to claim for each user. If the division leaves a remainder, the first users in the list
 * get it.
 */
export function shareClaims(
  demands: readonly UserDemand[],
  { freeSlots, allowance, room }: ClaimLimits,
): UserClaimCounts[] {
  // The room is shared before overdue and on-time checks are told apart. Otherwise the overdue checks of a user with many checks
  // would take all of it, and the on-time checks of the others would become overdue too.
  const places = shareEvenly(shareSlots(demands, freeSlots), room)
  // Of a user's checks, the overdue ones come first. Otherwise on-time checks could take all places of a user with many
  // checks, and some overdue checks would never run.
  const overdue = shareEvenly(
    demands.map((demand, n) => Math.min(demand.overdue, places[n] as number)),
    allowance.overdue,
  )
  const onTime = shareEvenly(
    demands.map((demand, n) => Math.min(demand.onTime, (places[n] as number) - (overdue[n] as number))),
    allowance.onTime,
  )
  return demands.map(({ teamId }, n) => ({ teamId, overdue: overdue[n] as number, onTime: onTime[n] as number }))
}

/**
 * Returns how many new slots each user gets. All users have the same limit, which covers the slots that they hold and
 * the new ones. The limit is as high as possible while enough slots stay free: one for every `MAX_HELD_PER_FREE_SLOT`
 * slots that a single user may hold.
 */
function shareSlots(demands: readonly UserDemand[], freeSlots: number): number[] {
  const takeUpTo = (maxHeld: number) =>
    demands.map(({ overdue, onTime, heldSlots }) => Math.max(0, Math.min(overdue + onTime, maxHeld - heldSlots)))
  const leavesEnough = (maxHeld: number) => {
    const takenCount = takeUpTo(maxHeld).reduce((sum, count) => sum + count, 0)
    return maxHeld <= MAX_HELD_PER_FREE_SLOT * (freeSlots - takenCount)
  }
  return takeUpTo(findGreatest(MAX_HELD_PER_FREE_SLOT * Math.max(0, freeSlots), leavesEnough))
}

/**
 * Finds the greatest allowed integer from 0 to `max`. If an integer is allowed, all smaller ones must be allowed too.
 */
function findGreatest(max: number, isAllowed: (value: number) => boolean): number {
  let [low, high] = [0, max]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isAllowed(middle)) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Divides `total` between users. Every user gets the same number, or all they want if that is less. A remainder goes to
 * the first users.
 */
export function shareEvenly(wantedCounts: readonly number[], total: number): number[] {
  const sum = (limit: number) => wantedCounts.reduce((result, count) => result + Math.min(count, limit), 0)
  const limit = findGreatest(
    Math.min(
      total,
      wantedCounts.reduce((most, count) => Math.max(most, count), 0),
    ),
    (value) => sum(value) <= total,
  )
  let remainder = total - sum(limit)
  return wantedCounts.map((count) => (count > limit && remainder-- > 0 ? limit + 1 : Math.min(count, limit)))
}
