/** When generated visitors arrive: few at night and on weekends, most in the late morning and in the evening. */
import { countHours, type LocalDay } from '../../lib/local-day.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { Random } from './random.ts'

/** The relative number of arrivals in each hour of the day. */
const hourWeights = [9, 6, 4, 3, 3, 5, 10, 20, 35, 48, 55, 56, 50, 48, 52, 53, 50, 45, 42, 45, 48, 44, 32, 18]
/** From Monday to Sunday; the average is 1. */
const weekdayFactors = [1.12, 1.18, 1.17, 1.12, 1.0, 0.68, 0.73]

/** Varies by weekday, and by up to 10 % at random. */
export function drawVisitorCount({ day }: LocalDay, visitorsPerDay: number, random: Random): number {
  const weekday = Temporal.PlainDate.from(day).dayOfWeek - 1
  return Math.round(visitorsPerDay * (weekdayFactors[weekday] as number) * (0.9 + 0.2 * random()))
}

/** Yields the arrival times in ascending order, without holding all of them in memory. */
export function* generateArrivalTimes(day: LocalDay, visitorCount: number, random: Random): Generator<number> {
  const weights = Array.from({ length: countHours(day) }, (_, hour) => hourWeights[hour % 24] as number)
  let weightLeft = weights.reduce((sum, weight) => sum + weight, 0)
  let visitorsLeft = visitorCount
  for (const [hour, weight] of weights.entries()) {
    const arrivalCount = Math.min(visitorsLeft, Math.round((visitorsLeft * weight) / weightLeft))
    const startsAt = day.startsAt + hour * HOUR_MS
    yield* generateRandomTimes(startsAt, Math.min(startsAt + HOUR_MS, day.endsAt), arrivalCount, random)
    visitorsLeft -= arrivalCount
    weightLeft -= weight
  }
}

/** Uniformly distributed and in order: draws the smallest of the remaining times, again and again. */
function* generateRandomTimes(from: number, to: number, count: number, random: Random): Generator<number> {
  let at = from
  for (let left = count; left > 0; left--) {
    at += (to - at) * (1 - random() ** (1 / left))
    yield Math.min(Math.floor(at), to - 1)
  }
}
