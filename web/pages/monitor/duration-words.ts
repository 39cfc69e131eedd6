/** The words of the charts: a check has a response time, and a run of a job has a duration. */
import type { MonitorType } from '../../../src/shared/monitors.ts'
import { responseTimeLabel } from '../../lib/monitor-types.ts'

export interface DurationWords {
  /** "Response time" */
  title: string
  /** "Response times" */
  plural: string
  /** "check" */
  item: string
  /** "Checks" */
  itemsTitle: string
  /** Shown instead of the chart if there are no values. */
  noValues: string
  /** Whether the values are so long that the axis shows minutes and hours instead of milliseconds. */
  isLong: boolean
}

export function getDurationWords(type: MonitorType): DurationWords {
  const title = responseTimeLabel(type)
  if (type !== 'heartbeat')
    return {
      title,
      plural: 'Response times',
      item: 'check',
      itemsTitle: 'Checks',
      noValues: 'No responses',
      isLong: false,
    }
  return {
    title,
    plural: 'Run durations',
    item: 'beat',
    itemsTitle: 'Beats',
    noValues: 'No run reported both its start and its end',
    isLong: true,
  }
}
