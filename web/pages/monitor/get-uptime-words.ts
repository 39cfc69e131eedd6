/**
 * The words for the uptime of a monitor. A traffic monitor has its own words, because it doesn't know whether the
 * website is up.
 */
import type { MonitorType } from '../../../src/shared/monitors.ts'

interface UptimeWords {
  /** "Uptime" */
  title: string
  /** "99.9% uptime" */
  share: (percent: string) => string
  noDowntime: string
  downFor: (duration: string) => string
  /** "5 min downtime" */
  downtime: (duration: string) => string
}

const uptimeWords: UptimeWords = {
  title: 'Uptime',
  share: (percent) => `${percent} uptime`,
  noDowntime: 'No downtime',
  downFor: (duration) => `Down for ${duration}`,
  downtime: (duration) => `${duration} downtime`,
}
const trafficUptimeWords: UptimeWords = {
  title: 'Visits arriving',
  share: (percent) => `Visits arriving ${percent} of the time`,
  noDowntime: 'No interruption',
  downFor: (duration) => `No visits for ${duration}`,
  downtime: (duration) => `${duration} without visits`,
}

export const getUptimeWords = (type: MonitorType) => (type === 'traffic' ? trafficUptimeWords : uptimeWords)
