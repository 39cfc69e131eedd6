/** When people come: hardly at night, most in the late morning and again in the evening, fewer at weekends. */
import { hoursIn, type LocalDay } from '../../lib/local-day.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { Random } from './random.ts'

/** By the hour of the day. */
const hours = [9, 6, 4, 3, 3, 5, 10, 20, 35, 48, 55, 56, 50, 48, 52, 53, 50, 45, 42, 45, 48, 44, 32, 18]
/** From Monday to Sunday; together seven. */
const weekdays = [1.12, 1.18, 1.17, 1.12, 1.0, 0.68, 0.73]

/** How many come on a day, by chance a few more or fewer than usual. */
export function countVisitorsOn({ day }: LocalDay, usual: number, random: Random): number {
  const weekday = Temporal.PlainDate.from(day).dayOfWeek - 1
  return Math.round(usual * (weekdays[weekday] as number) * (0.9 + 0.2 * random()))
}

/** The moments at which so many come, one after the other, without a list of them. */
export function* arrivalTimes(day: LocalDay, visitors: number, random: Random): Generator<number> {
  const slots = Array.from({ length: hoursIn(day) }, (_, hour) => hours[hour % 24] as number)
  let weightLeft = slots.reduce((sum, weight) => sum + weight, 0)
  let left = visitors
  for (const [hour, weight] of slots.entries()) {
    const here = Math.min(left, Math.round((left * weight) / weightLeft))
    const startsAt = day.startsAt + hour * HOUR_MS
    yield* sortedMoments(startsAt, Math.min(startsAt + HOUR_MS, day.endsAt), here, random)
    left -= here
    weightLeft -= weight
  }
}

/** Evenly spread, in order: the smallest of n random numbers, then the smallest of the rest behind it. */
function* sortedMoments(from: number, to: number, count: number, random: Random): Generator<number> {
  let at = from
  for (let left = count; left > 0; left--) {
    at += (to - at) * (1 - random() ** (1 / left))
    yield Math.min(Math.floor(at), to - 1)
  }
}
