/** Round values for the axes of a chart. */
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import {
  formatClockTime,
  formatCompactNumber,
  formatDurationSeconds,
  formatMonth,
  formatMsTick,
  formatPercentage,
  formatShortDay,
} from '../../lib/format.ts'
import { getLocalDay } from '../../lib/get-local-day.ts'
import { hasLabels, type LineAxis } from './model.ts'

export type AxisKind = 'count' | 'duration' | 'percent' | 'ms'

const HOUR_SECONDS = 3_600

/** Distances between two ticks of a count. They are integers, because half a visitor makes no sense. */
const countSteps = Array.from({ length: 12 }, (_, power) => [1, 2, 2.5, 5].map((step) => step * 10 ** power))
  .flat()
  .filter(Number.isInteger)

/**
 * Distances between two ticks of a duration, in seconds: common parts of a minute, an hour and a day, and then whole
 * days.
 */
const durationSteps = [
  ...[1, 2, 5, 10, 15, 30].flatMap((seconds) => [seconds, 60 * seconds]),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_SECONDS),
  ...countSteps.map((days) => days * DAY_SECONDS),
].sort((a, b) => a - b)

/** Lists the ticks from 0 to a round value above the maximum, so that the line doesn't touch the top edge. */
export function listValueTicks(max: number | null, kind: AxisKind, maxSteps: number): number[] {
  if (kind === 'percent') return [0, 25, 50, 75, 100]
  const steps = kind === 'duration' ? durationSteps : countSteps
  const countStepsOf = (step: number) => Math.floor((max ?? 0) / step) + 1
  const step = steps.find((candidate) => countStepsOf(candidate) <= maxSteps) ?? (max ?? 0) * 1.1
  return Array.from({ length: countStepsOf(step) + 1 }, (_, index) => index * step)
}

export const axisFormats: Record<AxisKind, (value: number) => string> = {
  count: formatCompactNumber,
  duration: formatDurationSeconds,
  percent: formatPercentage,
  ms: formatMsTick,
}

export interface AxisTick {
  position: number
  label: string
}

/** In pixels. The labels of the axes have a font size of 12 pixels, in which a digit is about this wide. */
const CHARACTER_WIDTH = 6.6
const LABEL_GAP = 14

export const estimateTextWidth = (text: string) => text.length * CHARACTER_WIDTH

/** Lists ticks whose labels fit beside each other in `width` pixels. */
export function listXTicks(x: LineAxis, range: readonly [number, number], width: number): AxisTick[] {
  return hasLabels(x) ? listLabelTicks(x, width) : listTimeTicks(range, width)
}

const labelSteps = [1, 2, 3, 4, 6, 7, 10, 12, 14, 20, 24, 30, 50, 100, 200, 500]

/** An empty label gets no tick. Hours of several days, for example, are labelled only at midnight. */
function listLabelTicks(labels: readonly string[], width: number): AxisTick[] {
  const ticks = labels.map((label, index) => ({ position: index + 0.5, label })).filter(({ label }) => label !== '')
  const labelWidth = Math.max(...labels.map(estimateTextWidth)) + LABEL_GAP
  const step = labelSteps.find((each) => (each * width) / ticks.length >= labelWidth) ?? ticks.length
  return ticks.filter((_, index) => index % step === 0)
}

/**
 * Distances between two ticks of a time axis. Each unit has its own list, because days have 23 to 25 hours and months
 * 28 to 31 days.
 */
const minuteSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720]
const daySteps = [1, 2, 7, 14]
const monthSteps = [1, 2, 3, 6, 12]
const MONTH_SECONDS = 30 * DAY_SECONDS

/** The ticks are at round times in the browser's time zone. */
function listTimeTicks([from, to]: readonly [number, number], width: number): AxisTick[] {
  const first = new Date(from * 1_000)
  const ticks: AxisTick[] = []
  const { createTime, format } = chooseTimeStep(first, ((to - from) * measureLabel(first)) / Math.max(1, width))
  for (let index = 0; ; index++) {
    const at = createTime(index)
    const position = at.getTime() / 1_000
    if (position > to) return ticks
    // When daylight saving time starts, one local hour doesn't exist, and `Date` moves its times to the next hour. Two
    // ticks at the same moment would overlap.
    if (position >= from && position !== ticks.at(-1)?.position) ticks.push({ position, label: format(at) })
  }
}

const measureLabel = (at: Date) =>
  Math.max(...[formatClockTime(at), formatDayOf(at)].map(estimateTextWidth)) + LABEL_GAP

function chooseTimeStep(first: Date, minSeconds: number) {
  const [year, month, day] = [first.getFullYear(), first.getMonth(), first.getDate()]
  const minutes = minuteSteps.find((step) => step * 60 >= minSeconds)
  if (minutes !== undefined) {
    return { createTime: (index: number) => new Date(year, month, day, 0, index * minutes), format: formatTick }
  }
  const days = daySteps.find((step) => step * DAY_SECONDS >= minSeconds)
  if (days !== undefined) {
    return { createTime: (index: number) => new Date(year, month, day + index * days), format: formatDayOf }
  }
  const months = monthSteps.find((step) => step * MONTH_SECONDS >= minSeconds) ?? 12
  return { createTime: (index: number) => new Date(year, month + index * months), format: formatMonth }
}

/** The date at midnight, otherwise the time. */
const formatTick = (at: Date) => (at.getHours() === 0 && at.getMinutes() === 0 ? formatDayOf(at) : formatClockTime(at))

const formatDayOf = (at: Date) => formatShortDay(getLocalDay(at))
