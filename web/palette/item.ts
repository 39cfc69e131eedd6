/** One entry of the palette: what it shows, and what choosing it does. */
import type { LucideIcon } from 'lucide-preact'
import type { AccountIncident } from '../lib/incidents.ts'
import type { OverviewMonitor, OverviewWebsite } from '../lib/queries.ts'
import type { Searchable } from './search.ts'

export type PaletteGroup = 'Actions' | 'Incidents' | 'Monitors' | 'Pages' | 'Status pages' | 'Websites'

export type PaletteEffect =
  /** A path of the application. */
  | { kind: 'open'; path: string }
  /** A page outside of the application, in a new tab. */
  | { kind: 'open-external'; url: string }
  | { kind: 'run'; run: () => void | Promise<void> }
  /** Asks for the website or monitor that the command is for. */
  | { kind: 'choose'; command: TargetCommand }

export interface PaletteItem extends Searchable {
  group: PaletteGroup
  effect: PaletteEffect
  icon: LucideIcon | { website: OverviewWebsite } | { monitor: OverviewMonitor } | { incident: AccountIncident }
}

/** A command of the palette that is for one website, monitor or ongoing incident. */
export interface TargetCommand {
  id: string
  label: string
  /** The word before the name of a target, such as “Pause” in “Pause Web shop”. */
  verb: string
  icon: LucideIcon
  keywords?: string
  /** What the user searches for after choosing the command, such as "monitors". */
  targets: 'incidents' | 'monitors' | 'websites'
  /** A command has one of these functions. They return undefined if the command doesn't apply. */
  forMonitor?: (monitor: OverviewMonitor) => PaletteEffect | undefined
  forIncident?: (incident: AccountIncident) => PaletteEffect | undefined
  forWebsite?: (website: OverviewWebsite) => PaletteEffect | undefined
}

interface NewActionItem extends Pick<PaletteItem, 'label' | 'effect'> {
  id: string
  icon: LucideIcon
  keywords?: string | undefined
}

export const createActionItem = ({ id, label, icon, effect, keywords }: NewActionItem): PaletteItem => ({
  id: `action:${id}`,
  group: 'Actions',
  label,
  icon,
  effect,
  ...(keywords && { keywords }),
})
