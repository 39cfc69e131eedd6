/** Decides whether a figure that differs from the previous period has really changed. Reports and pages share this rule. */

export type ChangeVerdict = 'good' | 'bad' | 'neutral'

export interface ComparedFigure {
  /** By how much the figure has changed, in percent of `previous`. */
  percent: number
  previous: number
  /** Whether the figure counts independent events, such as visits. False for averages and rates. */
  isCount: boolean
  /** True for the bounce rate. */
  isLowerBetter?: boolean
}

/** Traffic varies by a few percent from week to week without a reason, so smaller changes are neither good nor bad. */
const MIN_JUDGED_PERCENT = 5
/**
 * The difference of two counts with the same expectation has a standard deviation of about the square root of their sum. It exceeds
 * twice that in one of 20 comparisons. Without this rule, 9 visits after 12 would be bad news.
 */
const MIN_JUDGED_DEVIATIONS = 2

export function judgeChange({ percent, previous, isCount, isLowerBetter = false }: ComparedFigure): ChangeVerdict {
  if (Math.abs(percent) < MIN_JUDGED_PERCENT) return 'neutral'
  const difference = (previous * percent) / 100
  const deviation = Math.sqrt(2 * previous + difference)
  if (isCount && Math.abs(difference) < MIN_JUDGED_DEVIATIONS * deviation) return 'neutral'
  return percent > 0 !== isLowerBetter ? 'good' : 'bad'
}
