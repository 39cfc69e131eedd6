/** Moving websites and monitors to another team. */
import type { MonitorType } from '../../src/shared/monitors.ts'
import { toDisplayHost } from '../lib/address.ts'
import { can, teams } from '../lib/team.ts'
import { showProblem } from '../lib/toasts.ts'
import type { Movable } from './move-dialog.tsx'

/** The teams to which the user may move what belongs to the current team. */
export const targetTeams = can('manage')
  ? teams.filter(({ role, is_current }) => !is_current && (role === 'owner' || role === 'admin'))
  : []

/** The action, on pages and in the palette. Both open the same dialog, whose script is loaded on first use. */
export const openMoveDialog = (thing: Movable) =>
  import('./move-dialog.tsx').then(({ showMoveDialog }) => showMoveDialog(thing, targetTeams)).catch(showProblem)

export const toMovableMonitor = ({ id, friendly_name }: { id: number; friendly_name: string }): Movable => ({
  kind: 'monitor',
  id,
  name: friendly_name,
  path: `/monitors/${id}`,
})

export const toMovableWebsite = ({ id, domain }: { id: number; domain: string }): Movable => ({
  kind: 'website',
  id,
  name: toDisplayHost(domain),
  path: `/${domain}`,
})

/** Sample monitors stay, and a monitor of traffic alerts moves only with its website. */
export const canMoveMonitor = ({ type, is_sample }: { type: MonitorType; is_sample: boolean }) =>
  targetTeams.length > 0 && !is_sample && type !== 'traffic'

export const canMoveWebsite = ({ is_sample }: { is_sample: boolean }) => targetTeams.length > 0 && !is_sample
