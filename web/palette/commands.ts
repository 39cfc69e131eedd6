/** Commands of the palette that are for one website, monitor or ongoing incident. */
import { Activity, ArrowRightLeft, CheckCheck, CirclePause, CirclePlay, Pencil, Settings, Wrench } from 'lucide-preact'
import type { CheckRecord } from '../../src/checker/schema.ts'
import type { MonitorRecord } from '../../src/monitors/schema.ts'
import {
  canMoveMonitor,
  canMoveWebsite,
  openMoveDialog,
  targetTeams,
  toMovableMonitor,
  toMovableWebsite,
} from '../components/move-to-team.ts'
import { api, type ItemResponse } from '../lib/api.ts'
import { causeTexts } from '../lib/causes.ts'
import { formatMs } from '../lib/format.ts'
import { acknowledgeIncident } from '../lib/incidents.ts'
import { startMaintenance } from '../lib/maintenances.ts'
import { isProbed } from '../lib/monitor-types.ts'
import { type OverviewMonitor, queryClient, queryKeys } from '../lib/queries.ts'
import { can } from '../lib/team.ts'
import { showProblem, showProgress, showToast } from '../lib/toasts.ts'
import { createActionItem, type PaletteEffect, type PaletteItem, type TargetCommand } from './item.ts'

const targetCommands: readonly TargetCommand[] = [
  {
    id: 'acknowledge-incident',
    targets: 'incidents',
    label: 'Acknowledge an incident…',
    verb: 'Acknowledge',
    icon: CheckCheck,
    keywords: 'ack take silence reminders',
    forIncident: (incident) =>
      incident.acknowledged_at === null ? { kind: 'run', run: () => acknowledgeIncident(incident) } : undefined,
  },
  {
    id: 'check-monitor',
    targets: 'monitors',
    label: 'Check a monitor now…',
    verb: 'Check',
    icon: Activity,
    keywords: 'test run',
    forMonitor: (monitor) =>
      isProbed(monitor.type) && !monitor.is_sample ? { kind: 'run', run: () => checkMonitorNow(monitor) } : undefined,
  },
  {
    id: 'pause-monitor',
    targets: 'monitors',
    label: 'Pause a monitor…',
    verb: 'Pause',
    icon: CirclePause,
    keywords: 'stop mute',
    forMonitor: (monitor) =>
      monitor.status === 'paused' ? undefined : { kind: 'run', run: () => setMonitorActive(monitor, false) },
  },
  {
    id: 'resume-monitor',
    targets: 'monitors',
    label: 'Resume a monitor…',
    verb: 'Resume',
    icon: CirclePlay,
    keywords: 'start unpause',
    forMonitor: (monitor) =>
      monitor.status === 'paused' && !monitor.is_sample
        ? { kind: 'run', run: () => setMonitorActive(monitor, true) }
        : undefined,
  },
  {
    id: 'maintain-monitor',
    targets: 'monitors',
    label: 'Start maintenance of a monitor: 30 minutes…',
    verb: 'Start maintenance of',
    icon: Wrench,
    keywords: 'silence mute deploy',
    forMonitor: ({ id, friendly_name, is_sample }) =>
      is_sample
        ? undefined
        : {
            kind: 'run',
            run: () => startMaintenance({ monitorIds: [id], what: friendly_name, durationSeconds: 1_800 }),
          },
  },
  {
    id: 'edit-monitor',
    targets: 'monitors',
    label: 'Edit a monitor…',
    verb: 'Edit',
    icon: Pencil,
    keywords: 'settings change',
    forMonitor: ({ id }) => ({ kind: 'open', path: `/monitors/${id}/edit` }),
  },
  {
    id: 'website-settings',
    targets: 'websites',
    label: 'Open the settings of a website…',
    verb: 'Settings of',
    icon: Settings,
    keywords: 'snippet privacy exclusions report delete',
    forWebsite: ({ domain }) => ({ kind: 'open', path: `/${domain}/settings` }),
  },
]

/** Only people who manage several teams have these. */
const moveCommands: readonly TargetCommand[] = [
  {
    id: 'move-monitor',
    targets: 'monitors',
    label: 'Move a monitor to another team…',
    verb: 'Move',
    icon: ArrowRightLeft,
    keywords: 'transfer give',
    forMonitor: (monitor) =>
      canMoveMonitor(monitor) ? { kind: 'run', run: () => openMoveDialog(toMovableMonitor(monitor)) } : undefined,
  },
  {
    id: 'move-website',
    targets: 'websites',
    label: 'Move a website to another team…',
    verb: 'Move',
    icon: ArrowRightLeft,
    keywords: 'transfer give',
    forWebsite: (website) =>
      canMoveWebsite(website) ? { kind: 'run', run: () => openMoveDialog(toMovableWebsite(website)) } : undefined,
  },
]

const commands = targetTeams.length > 0 ? [...targetCommands, ...moveCommands] : targetCommands

/** All commands change something, or open settings. */
export const listAllowedCommands = () =>
  commands.filter(({ targets }) => can(targets === 'websites' ? 'edit shared' : 'edit'))

export function createCommandItem(command: TargetCommand): PaletteItem {
  const { id, label, icon, keywords } = command
  return createActionItem({ id, label, icon, effect: { kind: 'choose', command }, keywords })
}

/**
 * Returns the item that runs the command for one website, monitor or incident. Its label is the name of that record, alone
 * or after the verb. Returns undefined if the command doesn't apply.
 */
export function createTargetItem(command: TargetCommand, record: PaletteItem, hasVerb: boolean) {
  const effect = findEffect(command, record)
  if (effect === undefined) return undefined
  const item: PaletteItem = { ...record, id: `${command.id}:${record.id}`, effect }
  if (!hasVerb) return item
  return { ...item, group: 'Actions' as const, icon: command.icon, label: `${command.verb} ${record.label}` }
}

function findEffect(
  { forIncident, forMonitor, forWebsite }: TargetCommand,
  { icon }: PaletteItem,
): PaletteEffect | undefined {
  if ('incident' in icon) return forIncident?.(icon.incident)
  if ('monitor' in icon) return forMonitor?.(icon.monitor)
  return 'website' in icon ? forWebsite?.(icon.website) : undefined
}

/** What the user can do with the website, monitor or incident of the current page. */
export function listPageItems(path: string, records: readonly PaletteItem[]): PaletteItem[] {
  const ownPath = path.replace(/\/(?:edit|settings)$/, '')
  const ownRecords = records.filter(({ effect }) => effect.kind === 'open' && effect.path === ownPath)
  return listAllowedCommands()
    .flatMap((command) => ownRecords.flatMap((record) => createTargetItem(command, record, true) ?? []))
    .filter(({ effect }) => effect.kind !== 'open' || effect.path !== path)
}

type CommandMonitor = Pick<OverviewMonitor, 'id' | 'friendly_name'>

async function setMonitorActive(monitor: CommandMonitor, isActive: boolean, isUndo = false): Promise<void> {
  const { id, friendly_name } = monitor
  const { data } = await api.put<ItemResponse<MonitorRecord>>(`api/monitors/${id}`, { is_active: isActive })
  queryClient.setQueryData(queryKeys.monitor(id), data)
  void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  const text = `${friendly_name} ${isActive ? 'resumed' : 'paused'}.`
  const undo = () => void setMonitorActive(monitor, !isActive, true).catch(showProblem)
  showToast(text, isUndo ? {} : { undo })
}

async function checkMonitorNow({ id, friendly_name }: CommandMonitor): Promise<void> {
  const hideProgress = showProgress(`Checking ${friendly_name}…`)
  const { data } = await api.post<ItemResponse<CheckRecord>>(`api/monitors/${id}/check`).finally(hideProgress)
  void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(id) })
  showToast(`${friendly_name}: ${describeCheck(data)}`, { isError: data.ok === false })
}

function describeCheck({ ok, response_ms: ms, cause, detail }: CheckRecord): string {
  if (ok) return `check passed in ${formatMs(ms)}.`
  const reason = detail ?? (cause === null ? undefined : causeTexts[cause].title)
  return `${ok === null ? "check couldn't run" : 'check failed'}${reason === undefined ? '' : `: ${reason}`}.`
}
