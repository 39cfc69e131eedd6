import {
  computeOverallState,
  overallStateTexts,
  overallStateTones,
  type StateTone,
} from '../../../src/shared/page-states.ts'
import type { PublicMonitorState } from '../../../src/shared/status-pages.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { listPageMonitors, type StatusPage } from '../../lib/status-pages.ts'

export interface PageSummary {
  tone: StateTone
  text: string
}

type MonitorFields = Pick<OverviewMonitor, 'id' | 'status' | 'maintenance_until'>

/** Says about a page what the page itself says to its visitors. `monitors` are all monitors of the user. */
export function summarizePage(
  page: Pick<StatusPage, 'groups' | 'open_posts'>,
  monitors: readonly MonitorFields[] | undefined,
): PageSummary {
  if (monitors === undefined) return { tone: 'idle', text: '…' }
  const ids = new Set(listPageMonitors(page).map(({ monitor_id }) => monitor_id))
  const states = monitors.filter(({ id }) => ids.has(id)).map(toPublicState)
  const state = computeOverallState(states, { hasOpenPost: page.open_posts > 0 })
  return { tone: overallStateTones[state], text: overallStateTexts[state] }
}

const toPublicState = ({ status, maintenance_until }: MonitorFields): PublicMonitorState =>
  maintenance_until === null ? status : 'maintenance'
