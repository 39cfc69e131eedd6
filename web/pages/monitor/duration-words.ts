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
  /** Shown instead of a chart without values. */
  noValues: string
}

export function getDurationWords(type: MonitorType): DurationWords {
  const title = responseTimeLabel(type)
  if (type !== 'heartbeat') return { title, plural: 'Response times', item: 'check', noValues: 'No responses' }
  return { title, plural: 'Run durations', item: 'beat', noValues: 'No run with a start and an end' }
}
