/** Delays before a channel is notified about an incident, in words. */
import { pluralize } from './format.ts'

export const delayPresets: readonly number[] = [0, 5, 15, 30, 60]

/** "immediately", "after 15 minutes", "after 2 hours". */
export function describeDelay(minutes: number): string {
  if (minutes === 0) return 'immediately'
  return `after ${minutes % 60 === 0 ? pluralize(minutes / 60, 'hour') : pluralize(minutes, 'minute')}`
}
