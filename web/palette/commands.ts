/** Commands of the palette that are for one website or monitor. */
import { Activity, CirclePause, CirclePlay, type LucideIcon, Pencil, Settings, Wrench } from 'lucide-preact'
import { startMaintenance } from '../lib/maintenances.ts'
import { isProbed } from '../lib/monitor-types.ts'
import type { OverviewMonitor, OverviewWebsite } from '../lib/queries.ts'
import { createActionItem, type PaletteEffect, type PaletteItem } from './items.ts'
import { checkMonitorNow, setMonitorActive } from './monitor-commands.ts'

export interface TargetCommand {
  id: string
  label: string
  /** The label before the name of a target: “Pause” and “Web shop”. */
  verb: string
  icon: LucideIcon
  keywords?: string
  /** A command has either `forMonitor` or `forWebsite`. `forMonitor` returns undefined if the command doesn't apply. */
  forMonitor?: (monitor: OverviewMonitor) => PaletteEffect | undefined
  forWebsite?: (website: OverviewWebsite) => PaletteEffect
}

export const targetCommands: readonly TargetCommand[] = [
  {
    id: 'check-monitor',
    label: 'Check a monitor now…',
    verb: 'Check',
    icon: Activity,
    keywords: 'test run',
    forMonitor: (monitor) =>
      isProbed(monitor.type) ? { kind: 'run', run: () => checkMonitorNow(monitor) } : undefined,
  },
  {
    id: 'pause-monitor',
    label: 'Pause a monitor…',
    verb: 'Pause',
    icon: CirclePause,
    keywords: 'stop mute',
    forMonitor: (monitor) =>
      monitor.status === 'paused' ? undefined : { kind: 'run', run: () => setMonitorActive(monitor, false) },
  },
  {
    id: 'resume-monitor',
    label: 'Resume a monitor…',
    verb: 'Resume',
    icon: CirclePlay,
    keywords: 'start unpause',
    forMonitor: (monitor) =>
      monitor.status === 'paused' ? { kind: 'run', run: () => setMonitorActive(monitor, true) } : undefined,
  },
  {
    id: 'maintain-monitor',
    label: 'Start maintenance of a monitor: 30 minutes…',
    verb: 'Start maintenance of',
    icon: Wrench,
    keywords: 'silence mute deploy',
    forMonitor: ({ id, friendly_name }) => ({
      kind: 'run',
      run: () => startMaintenance({ monitorIds: [id], what: friendly_name, durationSeconds: 1_800 }),
    }),
  },
  {
    id: 'edit-monitor',
    label: 'Edit a monitor…',
    verb: 'Edit',
    icon: Pencil,
    keywords: 'settings change',
    forMonitor: ({ id }) => ({ kind: 'open', path: `/monitors/${id}/edit` }),
  },
  {
    id: 'website-settings',
    label: 'Open the settings of a website…',
    verb: 'Settings of',
    icon: Settings,
    keywords: 'snippet privacy exclusions report delete',
    forWebsite: ({ domain }) => ({ kind: 'open', path: `/${domain}/settings` }),
  },
]

export function createCommandItem(command: TargetCommand): PaletteItem {
  const { id, label, icon, keywords } = command
  return createActionItem(id, label, icon, { kind: 'choose', command }, keywords)
}

/** The command for one website or monitor: its name, alone or after the verb. Undefined if the command doesn't apply to it. */
export function createTargetItem(command: TargetCommand, record: PaletteItem, hasVerb: boolean) {
  const effect = findEffect(command, record)
  if (effect === undefined) return undefined
  const item: PaletteItem = { ...record, id: `${command.id}:${record.id}`, effect }
  if (!hasVerb) return item
  return { ...item, group: 'Actions' as const, icon: command.icon, label: `${command.verb} ${record.label}` }
}

function findEffect({ forMonitor, forWebsite }: TargetCommand, { icon }: PaletteItem): PaletteEffect | undefined {
  if ('monitor' in icon) return forMonitor?.(icon.monitor)
  return 'website' in icon ? forWebsite?.(icon.website) : undefined
}

/** What the user can do with the website or monitor of the current page. */
export function listPageItems(path: string, records: readonly PaletteItem[]): PaletteItem[] {
  const ownPath = path.replace(/\/(?:edit|settings)$/, '')
  const current = records.filter(({ effect }) => effect.kind === 'open' && effect.path === ownPath)
  return targetCommands
    .flatMap((command) => current.flatMap((record) => createTargetItem(command, record, true) ?? []))
    .filter(({ effect }) => effect.kind !== 'open' || effect.path !== path)
}
