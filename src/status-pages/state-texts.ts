/** How a status page names the states. */
import type { OverallState, PostState, PublicMonitorState } from '../shared/status-pages.ts'

export const overallStateTexts: Record<OverallState, string> = {
  up: 'All systems operational',
  partly_down: 'Some systems are down',
  down: 'All systems are down',
  incident: 'Incident in progress',
  maintenance: 'Maintenance in progress',
  unknown: 'No data yet',
}

export const monitorStateTexts: Record<PublicMonitorState, string> = {
  up: 'Operational',
  down: 'Down',
  maintenance: 'Under maintenance',
  pending: 'No data yet',
  paused: 'Paused',
}

export const postStateTexts: Record<PostState, string> = {
  investigating: 'Investigating',
  identified: 'Identified',
  monitoring: 'Monitoring',
  resolved: 'Resolved',
}
