/** What the palette offers: websites, monitors, ongoing incidents, pages and actions. */
import {
  ArrowLeftRight,
  Bell,
  BookOpen,
  FlaskConical,
  FlaskConicalOff,
  KeyRound,
  LayoutDashboard,
  LogIn,
  LogOut,
  type LucideIcon,
  MessageSquareText,
  Monitor,
  Moon,
  PanelTop,
  Plus,
  Radar,
  ScrollText,
  Server,
  ShieldCheck,
  Siren,
  Sun,
  UserRound,
  Users,
  UsersRound,
  Wrench,
} from 'lucide-preact'
import { SERVER_SETTINGS_PATH, SINGLE_SIGN_ON_PATH, toDisplayHost } from '../lib/address.ts'
import { boot } from '../lib/boot.ts'
import { causeTexts } from '../lib/causes.ts'
import type { AccountIncident } from '../lib/incidents.ts'
import { loadSampleShop, removeSampleShop } from '../lib/lazy-sample-shop.ts'
import { describeTarget } from '../lib/monitor-types.ts'
import type { OverviewMonitor, OverviewWebsite } from '../lib/queries.ts'
import { roleLabels } from '../lib/role-labels.ts'
import { signOut } from '../lib/sign-out.ts'
import { toStatusPagePath } from '../lib/status-page-path.ts'
import type { StatusPage } from '../lib/status-pages.ts'
import { can, switchTeam, teams } from '../lib/team.ts'
import { saveTheme } from '../lib/theme.ts'
import { createActionItem, type PaletteEffect, type PaletteItem } from './item.ts'

export interface PaletteRecords {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
  statusPages: readonly Pick<StatusPage, 'id' | 'title' | 'slug'>[]
  /** Only ongoing incidents. */
  incidents: readonly AccountIncident[]
}

const toOpenEffect = (path: string): PaletteEffect => ({ kind: 'open', path })
const toRunEffect = (run: () => void | Promise<void>): PaletteEffect => ({ kind: 'run', run })

const createPageItem = (path: string, label: string, icon: LucideIcon, keywords?: string): PaletteItem => ({
  id: `page:${path}`,
  group: 'Pages',
  label,
  icon,
  effect: toOpenEffect(path),
  ...(keywords !== undefined && { keywords }),
})

export const addWebsiteItem = createActionItem({
  id: 'add-website',
  label: 'Add website',
  icon: Plus,
  effect: toOpenEffect('/websites/new'),
  keywords: 'new create site tracking snippet',
})
export const addMonitorItem = createActionItem({
  id: 'add-monitor',
  label: 'Add monitor',
  icon: Plus,
  effect: toOpenEffect('/monitors/new'),
  keywords: 'new create check uptime http ping tcp port dns certificate tls domain heartbeat cron',
})

export function listAddItems(): PaletteItem[] {
  return [...listEditorItems(), ...(can('edit shared') ? [writePostItem] : [])]
}

const writePostItem = createActionItem({
  id: 'write-status-post',
  label: 'Write status post',
  icon: MessageSquareText,
  effect: toOpenEffect('/status-pages/posts/new'),
  keywords: 'new incident announce update subscribers outage',
})

function listEditorItems(): PaletteItem[] {
  if (!can('edit')) return []
  return [
    addWebsiteItem,
    addMonitorItem,
    createActionItem({
      id: 'add-channel',
      label: 'Add notification channel',
      icon: Plus,
      effect: toOpenEffect('/notification-channels/new'),
      keywords: 'new email slack telegram sms webhook discord teams google chat ntfy pushover gotify matrix pagerduty',
    }),
    createActionItem({
      id: 'plan-maintenance',
      label: 'Plan maintenance',
      icon: Wrench,
      effect: toOpenEffect('/maintenance/new'),
      keywords: 'new schedule downtime silence',
    }),
    createActionItem({
      id: 'add-status-page',
      label: 'Add status page',
      icon: Plus,
      effect: toOpenEffect('/status-pages/new'),
      keywords: 'new create public incidents uptime',
    }),
  ]
}

/** Loads the sample shop, or removes it if it exists. */
export function createSampleItem(records: readonly PaletteItem[]): PaletteItem {
  const hasSample = records.some(({ icon }) => 'website' in icon && icon.website.is_sample)
  const keywords = 'demo data example explore try'
  return hasSample
    ? createActionItem({
        id: 'remove-sample',
        label: 'Remove sample shop',
        icon: FlaskConicalOff,
        effect: toRunEffect(removeSampleShop),
        keywords,
      })
    : createActionItem({
        id: 'load-sample',
        label: 'Load sample shop',
        icon: FlaskConical,
        effect: toRunEffect(loadSampleShop),
        keywords,
      })
}

export function listPageAndAccountItems(): PaletteItem[] {
  return [
    ...listTeamItems(),
    createActionItem({
      id: 'theme-light',
      label: 'Use the light theme',
      icon: Sun,
      effect: toRunEffect(() => saveTheme('light')),
      keywords: 'appearance color bright',
    }),
    createActionItem({
      id: 'theme-dark',
      label: 'Use the dark theme',
      icon: Moon,
      effect: toRunEffect(() => saveTheme('dark')),
      keywords: 'appearance color night',
    }),
    createActionItem({
      id: 'theme-system',
      label: 'Use the system theme',
      icon: Monitor,
      effect: toRunEffect(() => saveTheme('system')),
      keywords: 'appearance color auto',
    }),
    createActionItem({
      id: 'sign-out',
      label: 'Sign out',
      icon: LogOut,
      effect: toRunEffect(signOut),
      keywords: 'log out logout leave',
    }),
    createPageItem('/', can('browse') ? 'Overview' : 'Websites', LayoutDashboard, 'home dashboard'),
    ...(can('browse') ? listTeamPageItems() : []),
    createPageItem('/status-pages', 'Status pages', PanelTop, 'public incidents posts subscribers badges'),
    createPageItem('/team', 'Team', UsersRound, 'members people roles invite invitations guests rename leave'),
    ...(boot.user?.is_admin
      ? [
          createPageItem('/users', 'Users', Users, 'accounts people admin'),
          createPageItem(
            SERVER_SETTINGS_PATH,
            'Server settings',
            Server,
            'go live public url domain https mail server smtp email backup admin',
          ),
          createPageItem(
            SINGLE_SIGN_ON_PATH,
            'Single sign-on',
            LogIn,
            'sso oidc openid connect keycloak authentik google entra admin',
          ),
        ]
      : []),
    createPageItem('/account', 'Account', UserRound, 'change password profile alerts'),
    createPageItem(
      '/account/security',
      'Security',
      ShieldCheck,
      'two factor 2fa totp authenticator passkey recovery codes sessions devices email address',
    ),
    ...(can('manage') ? [createPageItem('/audit', 'Audit log', ScrollText, 'history changes who log')] : []),
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

function listTeamPageItems(): PaletteItem[] {
  return [
    createPageItem('/incidents', 'Incidents', Siren, 'outages downtime acknowledge notes history'),
    createPageItem('/monitors', 'Monitors', Radar, 'uptime checks'),
    createPageItem(
      '/notification-channels',
      'Notification channels',
      Bell,
      'notifications alerts providers email slack',
    ),
    createPageItem('/maintenance', 'Maintenance', Wrench, 'planned downtime silence mute window'),
    createPageItem('/keys', 'API keys', KeyRound, 'tokens'),
  ]
}

/** Switching to each of the user's other teams, and creating one. */
function listTeamItems(): PaletteItem[] {
  return [
    ...teams
      .filter(({ is_current }) => !is_current)
      .map(({ id, name, role }) =>
        createActionItem({
          id: `switch-team-${id}`,
          label: `Switch to ${name}`,
          icon: ArrowLeftRight,
          effect: toRunEffect(() => switchTeam(id)),
          keywords: `team change ${roleLabels[role]}`,
        }),
      ),
    createActionItem({
      id: 'create-team',
      label: 'Create team',
      icon: UsersRound,
      effect: toOpenEffect('/teams/new'),
      keywords: 'new add company group share',
    }),
  ]
}

const removeScheme = (url: string) => url.replace(/^[a-z]+:\/\//i, '').replace(/\/$/, '')

export function listRecordItems({ websites, monitors, statusPages, incidents }: PaletteRecords): PaletteItem[] {
  return [
    ...websites.map((website): PaletteItem => {
      const { id, domain, is_sample } = website
      const label = toDisplayHost(domain)
      return {
        id: `website:${id}`,
        group: 'Websites',
        label,
        ...(label !== domain && { keywords: domain }),
        ...(is_sample && { detail: 'Sample shop' }),
        icon: { website },
        effect: toOpenEffect(`/${domain}`),
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
        effect: toOpenEffect(`/monitors/${id}`),
      }
    }),
    ...incidents.map(
      (incident): PaletteItem => ({
        id: `incident:${incident.id}`,
        group: 'Incidents',
        label: incident.monitor.friendly_name,
        detail: causeTexts[incident.cause].title,
        keywords: 'incident outage down',
        icon: { incident },
        effect: toOpenEffect(`/incidents/${incident.id}`),
      }),
    ),
    ...statusPages.map(
      ({ id, title, slug }): PaletteItem => ({
        id: `status-page:${id}`,
        group: 'Status pages',
        label: title,
        detail: slug,
        icon: PanelTop,
        effect: toOpenEffect(toStatusPagePath(id)),
      }),
    ),
  ]
}
