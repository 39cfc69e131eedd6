/**
 * Conditions under which usual traffic predicts little: lasting changes, spikes, holidays. Each condition begins at a
 * random time after at least 9 weeks of usual traffic, and has windows in which outages begin.
 */
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import type { TrafficShape } from './traffic-shapes.ts'

/**
 * Returns the factor by which the condition multiplies the rate of a slot. `slotsSince` is the number of slots since
 * the condition began. Before that, the factor is 1.
 */
type Course = (slotsSince: number, localSlot: number) => number

export interface ConditionWindow {
  name: string
  /** Outages of this window begin between `from` and `to`, in days since the condition began. */
  from: number
  to: number
}

export interface TrafficCondition {
  name: string
  shapes: readonly TrafficShape[]
  /** Whether the condition begins at a local midnight. */
  startsAtMidnight?: boolean
  /** Whether the condition begins on a weekday from Monday to Friday. */
  startsOnWorkday?: boolean
  /** Random workdays before the beginning have the condition, too. This is their mean number. */
  meanEarlierDays?: number
  windows: readonly ConditionWindow[]
  draw(random: RandomSource): Course
}

const common: readonly TrafficShape[] = ['steady', 'nightly zero', 'weekly rhythm']
const stepWindows: readonly ConditionWindow[] = [
  { name: 'first 4 h', from: 0, to: 4 / 24 },
  { name: 'first day', from: 0, to: 1 },
  { name: 'days 1 to 3', from: 1, to: 3 },
  { name: 'days 3 to 14', from: 3, to: 14 },
]
const drawBetween = (random: RandomSource, low: number, high: number) => low + (high - low) * random.uniform()
const hours = (count: number) => count * SLOTS_PER_HOUR

const step = (factor: number) => () => (slotsSince: number) => (slotsSince < 0 ? 1 : factor)

export const conditions: readonly TrafficCondition[] = [
  { name: 'step −40 %', shapes: common, windows: stepWindows, draw: step(0.6) },
  { name: 'step +100 %', shapes: common, windows: stepWindows, draw: step(2) },
  {
    name: 'viral spike',
    shapes: common,
    windows: [
      { name: 'first 6 h', from: 0, to: 0.25 },
      { name: 'first 2 days', from: 0, to: 2 },
      { name: 'days 2 to 7', from: 2, to: 7 },
    ],
    // Visits rise within an hour to 4 to 15 times the usual ones, and fade with a time constant of 4 to 24 hours.
    draw: (random) => {
      const peakFactor = drawBetween(random, 3, 14)
      const fadeSlots = hours(drawBetween(random, 4, 24))
      return (slotsSince) =>
        slotsSince < 0 ? 1 : 1 + peakFactor * Math.min(1, slotsSince / hours(1)) * Math.exp(-slotsSince / fadeSlots)
    },
  },
  {
    name: 'public holiday',
    shapes: ['office', 'weekly rhythm'],
    startsAtMidnight: true,
    startsOnWorkday: true,
    meanEarlierDays: 1.5,
    windows: [
      { name: 'on the day', from: 0, to: 1 },
      { name: 'the day after', from: 1, to: 2 },
    ],
    draw: (random) => {
      const factor = drawBetween(random, 0.05, 0.2)
      return (slotsSince) => (slotsSince >= 0 && slotsSince < SLOTS_PER_DAY ? factor : 1)
    },
  },
  {
    name: 'closure',
    shapes: common,
    startsAtMidnight: true,
    windows: [
      { name: 'first day', from: 0, to: 1 },
      { name: 'days 1 to 6', from: 1, to: 6 },
      { name: 'days 7 to 12', from: 7, to: 12 },
      { name: 'first day after', from: 14, to: 15 },
    ],
    draw: (random) => {
      const factor = drawBetween(random, 0.02, 0.1)
      return (slotsSince) => (slotsSince >= 0 && slotsSince < 2 * SLOTS_PER_WEEK ? factor : 1)
    },
  },
  {
    name: 'school holidays',
    shapes: ['weekly rhythm', 'office'],
    startsAtMidnight: true,
    windows: [
      { name: 'first day', from: 0, to: 1 },
      { name: 'days 1 to 7', from: 1, to: 7 },
      { name: 'days 7 to 14', from: 7, to: 14 },
      { name: 'first day after', from: 16, to: 17 },
    ],
    draw: (random) => {
      const factor = drawBetween(random, 0.15, 0.4)
      return (slotsSince) => (slotsSince >= 0 && slotsSince < 16 * SLOTS_PER_DAY ? factor : 1)
    },
  },
  {
    name: 'slow ramp',
    shapes: common,
    windows: [
      { name: 'days 0 to 7', from: 0, to: 7 },
      { name: 'days 7 to 14', from: 7, to: 14 },
    ],
    // Visits rise or fall by a factor of 2 to 3 within two weeks.
    draw: (random) => {
      const factor = drawBetween(random, 2, 3) ** (random.uniform() < 0.5 ? -1 : 1)
      return (slotsSince) => factor ** Math.min(1, Math.max(0, slotsSince / (2 * SLOTS_PER_WEEK)))
    },
  },
  {
    name: 'night campaign',
    shapes: ['steady', 'weekly rhythm', 'nightly zero'],
    startsAtMidnight: true,
    windows: [
      { name: 'that night', from: 0, to: 0.25 },
      { name: 'the day after', from: 0.25, to: 1.25 },
    ],
    // From midnight to 6:00, there are 3 to 8 times the visits of a usual night.
    draw: (random) => {
      const factor = drawBetween(random, 3, 8)
      return (slotsSince) => (slotsSince >= 0 && slotsSince < hours(6) ? factor : 1)
    },
  },
  {
    name: 'pulsing',
    shapes: common,
    // From the beginning on, every second day has half of the usual visits.
    windows: [{ name: 'days 0 to 14', from: 0, to: 14 }],
    draw: () => (slotsSince) => (slotsSince < 0 || Math.floor(slotsSince / SLOTS_PER_DAY) % 2 === 1 ? 1 : 0.5),
  },
]
