/** The words of the figures about uptime. A traffic monitor says nothing about whether the website is up. */
import type { MonitorType } from '../../../src/shared/monitors.ts'

interface UptimeWords {
  /** "Uptime" */
  title: string
  /** "99.9% uptime" */
  share: (percent: string) => string
  noDowntime: string
  downFor: (duration: string) => string
  /** "2 incidents, 5m downtime" */
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
  title: 'Time without silence',
  share: (percent) => `${percent} without silence`,
  noDowntime: 'No silence',
  downFor: (duration) => `Silent for ${duration}`,
  downtime: (duration) => `${duration} without visits`,
}

export const getUptimeWords = (type: MonitorType) => (type === 'traffic' ? trafficUptimeWords : uptimeWords)
