/** What the palette offers: websites, monitors, pages and actions. */
import {
  Bell,
  BookOpen,
  KeyRound,
  LayoutDashboard,
  LogOut,
  type LucideIcon,
  MessageSquareText,
  Monitor,
  Moon,
  PanelTop,
  Plus,
  Radar,
  Sun,
  UserRound,
  Users,
  Wrench,
} from 'lucide-preact'
import { toDisplayHost } from '../lib/address.ts'
import { boot } from '../lib/boot.ts'
import { describeTarget } from '../lib/monitor-types.ts'
import type { OverviewMonitor, OverviewWebsite } from '../lib/queries.ts'
import { signOut } from '../lib/sign-out.ts'
import type { StatusPage } from '../lib/status-pages.ts'
import { saveTheme } from '../lib/theme.ts'
import type { TargetCommand } from './commands.ts'
import type { Searchable } from './search.ts'

export type PaletteGroup = 'Actions' | 'Monitors' | 'Pages' | 'Status pages' | 'Websites'

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
  icon: LucideIcon | { website: OverviewWebsite } | { monitor: OverviewMonitor }
}

export interface PaletteRecords {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
  statusPages: readonly Pick<StatusPage, 'id' | 'title' | 'slug'>[]
}

const createPageItem = (path: string, label: string, icon: LucideIcon, keywords?: string): PaletteItem => ({
  id: `page:${path}`,
  group: 'Pages',
  label,
  icon,
  effect: { kind: 'open', path },
  ...(keywords !== undefined && { keywords }),
})

export const createActionItem = (
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
  'new create check uptime http ping tcp port dns certificate tls domain heartbeat cron',
)

export function listAddItems(): PaletteItem[] {
  return [
    addWebsiteItem,
    addMonitorItem,
    createActionItem(
      'add-channel',
      'Add notification channel',
      Plus,
      open('/providers/new'),
      'new email slack telegram sms webhook discord teams google chat ntfy pushover gotify matrix pagerduty',
    ),
    createActionItem(
      'plan-maintenance',
      'Plan maintenance',
      Wrench,
      open('/maintenance/new'),
      'new schedule downtime silence',
    ),
    createActionItem(
      'add-status-page',
      'Add status page',
      Plus,
      open('/status-pages/new'),
      'new create public incidents uptime',
    ),
    createActionItem(
      'write-status-post',
      'Write status post',
      MessageSquareText,
      open('/status-pages/posts/new'),
      'new incident announce update subscribers outage',
    ),
  ]
}

export function listPageAndAccountItems(): PaletteItem[] {
  return [
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
      'Use the system theme',
      Monitor,
      run(() => saveTheme('system')),
      'appearance color auto',
    ),
    createActionItem('sign-out', 'Sign out', LogOut, run(signOut), 'log out logout leave'),
    createPageItem('/', 'Overview', LayoutDashboard, 'home dashboard'),
    createPageItem('/monitors', 'Monitors', Radar, 'uptime checks'),
    createPageItem('/providers', 'Notifications', Bell, 'channels alerts email slack'),
    createPageItem('/maintenance', 'Maintenance', Wrench, 'planned downtime silence mute window'),
    createPageItem('/status-pages', 'Status pages', PanelTop, 'public incidents posts subscribers badges'),
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

const removeScheme = (url: string) => url.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '')

export function listRecordItems({ websites, monitors, statusPages }: PaletteRecords): PaletteItem[] {
  return [
    ...websites.map((website): PaletteItem => {
      const { id, domain, is_sample } = website
      const label = toDisplayHost(domain)
      return {
        id: `website:${id}`,
        group: 'Websites',
        label,
        ...(label !== domain && { keywords: domain }),
        ...(is_sample && { detail: 'Sample' }),
        icon: { website },
        effect: open(`/${domain}`),
      }
    }),
    ...monitors.map((monitor): PaletteItem => {
      const { id, friendly_name } = monitor
      return {
        id: `monitor:${id}`,
        group: 'Monitors',
        label: friendly_name,
        detail: removeScheme(describeTarget(monitor)),
        icon: { monitor },
        effect: open(`/monitors/${id}`),
      }
    }),
    ...statusPages.map(
      ({ id, title, slug }): PaletteItem => ({
        id: `status-page:${id}`,
        group: 'Status pages',
        label: title,
        detail: slug,
        icon: PanelTop,
        effect: open(`/status-pages/${id}`),
      }),
    ),
  ]
}
