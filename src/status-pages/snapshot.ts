/**
 * Everything that a status page shows, at one moment. Visitors can see all of it except `access`, so nothing else may be private:
 * no URL, no cause of an incident, no monitor that is not on the page.
 *
 * Snapshots are stored as JSON in the data folder. If a field changes its meaning, increase SNAPSHOT_FORMAT, and keep reading
 * older formats.
 */
import type { OverallState, PostState, PublicMonitorState, StatusPageTheme } from '../shared/status-pages.ts'
import { hasEnoughUptimeData } from '../shared/uptime.ts'
import type { Privacy } from '../shared/websites.ts'

export const SNAPSHOT_FORMAT = 1

/** Times are in epoch milliseconds. */
export interface StatusPageSnapshot {
  format: typeof SNAPSHOT_FORMAT
  /** When the database was read. */
  readAt: number
  access: SnapshotAccess
  page: SnapshotPage
  overall: OverallState
  /** The days of the bars, for example 2026-08-19 to 2026-11-16. */
  firstDay: string
  lastDay: string
  groups: SnapshotGroup[]
  /** Ongoing incidents, and those that were resolved recently. Newest first. */
  incidents: SnapshotIncident[]
  /** Maintenances in progress and planned ones, sorted by start. */
  maintenances: SnapshotMaintenance[]
  /** Open posts, and those that were resolved recently. Newest first. */
  posts: SnapshotPost[]
}

/** Who may see the page. */
export interface SnapshotAccess {
  pageId: number
  teamId: number
  privacy: Privacy
  passwordHash: string | null
}

export interface SnapshotPage {
  slug: string
  title: string
  description: string | null
  /** null unless the domain is verified. */
  customDomain: string | null
  theme: StatusPageTheme
  accentColor: string | null
  timeZone: string
  showResponseTimes: boolean
  /** null: the page has no logo. */
  logoHash: string | null
  /** Identifies the page's feeds. Copies that Belfry 0.2.0 stored have none. Version 0.4.0 ignores such copies. */
  feedId?: string
  /**
   * Feed entries from before this time may have been listed by Belfry 0.2.0, and keep the ids that it gave them. Remove
   * this in version 0.4.0.
   */
  feedIdSince?: number
  /** Whether visitors can subscribe by email. This requires a mail server and a public URL. */
  canSubscribe: boolean
}

export interface SnapshotGroup {
  name: string
  monitors: SnapshotMonitor[]
}

export interface SnapshotMonitor {
  id: number
  label: string
  state: PublicMonitorState
  /** When the state began; null if that is not known. */
  since: number | null
  /** In percent, with up to three decimals; null if the monitor was not active in the period. */
  uptime: { last24Hours: number | null; last30Days: number | null; last90Days: number | null }
  /**
   * When monitoring began and how long it lasted, if the monitor is younger than the days of the bars. Copies that
   * Belfry 0.2.0 and earlier versions stored don't have it.
   */
  monitored?: { since: number; ms: number }
  /** In the format of `days` in the overview: see `src/overview/schema.ts`. */
  days: string
  /** Average of the last 24 hours; null if there is none. */
  responseMs: number | null
  /** Hourly averages of the last 24 hours, oldest first. null unless the page shows response times. */
  responseTimes: (number | null)[] | null
}

/** Whether the page shows percentages of the monitor: see `hasEnoughUptimeData`. */
export const hasUptimePercent = ({ monitored }: SnapshotMonitor) =>
  monitored === undefined || hasEnoughUptimeData({ monitoredSince: monitored.since, monitoredMs: monitored.ms })

export interface SnapshotIncident {
  monitorId: number
  label: string
  startedAt: number
  /** null: the incident is ongoing. */
  resolvedAt: number | null
  /** Whether a post of the snapshot is about it: see `outages` of the post. Visitors see such an incident only once. */
  isInPost?: true
}

export interface SnapshotMaintenance {
  id: number
  title: string
  note: string | null
  startsAt: number
  endsAt: number
  isActive: boolean
  isRecurring: boolean
  /** When the owner last changed the maintenance. */
  updatedAt: number
  /** Labels of the affected monitors of this page. */
  labels: string[]
}

export interface SnapshotPost {
  id: number
  title: string
  state: PostState
  createdAt: number
  /** When the owner last changed the post or one of its updates. */
  updatedAt: number
  resolvedAt: number | null
  labels: string[]
  /** The incidents that the post is about. Copies that Belfry 0.2.0 and earlier versions stored don't have them. */
  outages?: Pick<SnapshotIncident, 'startedAt' | 'resolvedAt'>[]
  /** Oldest first. */
  updates: SnapshotPostUpdate[]
}

export interface SnapshotPostUpdate {
  id: number
  state: PostState
  /** Markdown, as the owner wrote it. */
  body: string
  createdAt: number
}
