/** What the palette offers: websites, monitors, pages and actions. */
import {
  Activity,
  Bell,
  BookOpen,
  CirclePause,
  CirclePlay,
  KeyRound,
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Pencil,
  Plus,
  Radar,
  Settings,
  Sun,
  UserRound,
  Users,
} from 'lucide-preact'
import { boot } from '../lib/boot.ts'
import type { OverviewMonitor, OverviewWebsite } from '../lib/queries.ts'
import { signOut } from '../lib/sign-out.ts'
import { saveTheme } from '../lib/theme.ts'
import { checkMonitorNow, setMonitorActive } from './monitor-commands.ts'
import type { Searchable } from './search.ts'

export type PaletteGroup = 'Actions' | 'Monitors' | 'Pages' | 'Websites'

type PaletteEffect =
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
  icon: LucideIcon | { website: OverviewWebsite } | { monitor: OverviewMonitor }
}

/** A command that needs a website or monitor. */
export interface TargetCommand {
  id: string
  label: string
  /** The label before the name of a target: “Pause” and “Web shop”. */
  verb: string
  icon: LucideIcon
  keywords?: string
  /** Exactly one of the two. */
  forMonitor?: (monitor: OverviewMonitor) => PaletteEffect | undefined
  forWebsite?: (website: OverviewWebsite) => PaletteEffect
}

export interface PaletteRecords {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
}

export const targetCommands: readonly TargetCommand[] = [
  {
    id: 'check-monitor',
    label: 'Check a monitor now…',
    verb: 'Check',
    icon: Activity,
    keywords: 'test run',
    forMonitor: (monitor) => ({ kind: 'run', run: () => checkMonitorNow(monitor) }),
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

const createPageItem = (path: string, label: string, icon: LucideIcon, keywords?: string): PaletteItem => ({
  id: `page:${path}`,
  group: 'Pages',
  label,
  icon,
  effect: { kind: 'open', path },
  ...(keywords !== undefined && { keywords }),
})

const createActionItem = (
  id: string,
  label: string,
  icon: LucideIcon,
  effect: PaletteEffect,
  keywords?: string,
): PaletteItem => ({ id: `action:${id}`, group: 'Actions', label, icon, effect, ...(keywords && { keywords }) })

const open = (path: string): PaletteEffect => ({ kind: 'open', path })
const run = (run: () => void | Promise<void>): PaletteEffect => ({ kind: 'run', run })

export const addWebsiteItem = createActionItem(
  'add-website',
  'Add website',
  Plus,
  open('/websites/new'),
  'new create site tracking snippet',
)
export const addMonitorItem = createActionItem(
  'add-monitor',
  'Add monitor',
  Plus,
  open('/monitors/new'),
  'new create check uptime',
)

/** Pages and actions that need no website or monitor. */
export function listFixedItems(): PaletteItem[] {
  return [
    addWebsiteItem,
    addMonitorItem,
    createActionItem(
      'add-channel',
      'Add notification channel',
      Plus,
      open('/providers/new'),
      'new email slack telegram sms',
    ),
    ...targetCommands.map((command) => createCommandItem(command)),
    createActionItem(
      'theme-light',
      'Use the light theme',
      Sun,
      run(() => saveTheme('light')),
      'appearance color bright',
    ),
    createActionItem(
      'theme-dark',
      'Use the dark theme',
      Moon,
      run(() => saveTheme('dark')),
      'appearance color night',
    ),
    createActionItem(
      'theme-system',
      "Use the system's theme",
      Monitor,
      run(() => saveTheme('system')),
      'appearance color auto',
    ),
    createActionItem('sign-out', 'Sign out', LogOut, run(signOut), 'log out logout leave'),
    createPageItem('/', 'Overview', LayoutDashboard, 'home dashboard'),
    createPageItem('/monitors', 'Monitors', Radar, 'uptime checks'),
    createPageItem('/providers', 'Notifications', Bell, 'channels alerts email slack'),
    createPageItem('/keys', 'API keys', KeyRound, 'tokens'),
    ...(boot.user?.is_admin ? [createPageItem('/users', 'Users', Users, 'accounts people admin')] : []),
    createPageItem('/account', 'Change password', UserRound, 'account profile'),
    {
      id: 'page:docs',
      group: 'Pages',
      label: 'API documentation',
      icon: BookOpen,
      keywords: 'docs reference openapi help',
      effect: { kind: 'open-external', url: 'docs' },
    },
  ]
}

function createCommandItem(command: TargetCommand): PaletteItem {
  const { id, label, icon, keywords } = command
  return createActionItem(id, label, icon, { kind: 'choose', command }, keywords)
}

const removeScheme = (url: string) => url.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '')

export function listRecordItems({ websites, monitors }: PaletteRecords): PaletteItem[] {
  return [
    ...websites.map((website): PaletteItem => {
      const { id, domain, is_sample } = website
      return {
        id: `website:${id}`,
        group: 'Websites',
        label: domain,
        ...(is_sample && { detail: 'Sample' }),
        icon: { website },
        effect: open(`/${domain}`),
      }
    }),
    ...monitors.map((monitor): PaletteItem => {
      const { id, friendly_name, url } = monitor
      return {
        id: `monitor:${id}`,
        group: 'Monitors',
        label: friendly_name,
        detail: removeScheme(url),
        icon: { monitor },
        effect: open(`/monitors/${id}`),
      }
    }),
  ]
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
