/** Snapshots of status pages, for tests of what visitors see. */

import { HOUR_MS, MINUTE_MS } from '../../src/shared/time.ts'
import type {
  SnapshotGroup,
  SnapshotIncident,
  SnapshotMaintenance,
  SnapshotMonitor,
  SnapshotPage,
  SnapshotPost,
  StatusPageSnapshot,
} from '../../src/status-pages/snapshot.ts'

/** 16 November 2026, 19:40 UTC. */
export const SNAPSHOT_TIME = Date.UTC(2026, 10, 16, 19, 40)

interface SnapshotChanges extends Partial<Omit<StatusPageSnapshot, 'page'>> {
  page?: Partial<SnapshotPage>
}

/** Creates a public page in UTC whose monitors are all up, unless `changes` says otherwise. */
export function createPageSnapshot({ page, ...changes }: SnapshotChanges = {}): StatusPageSnapshot {
  return {
    format: 1,
    readAt: SNAPSHOT_TIME,
    access: { pageId: 1, teamId: 1, privacy: 0, passwordHash: null },
    page: {
      slug: 'example',
      title: 'Example status',
      description: null,
      customDomain: null,
      theme: 'auto',
      accentColor: null,
      timeZone: 'UTC',
      showResponseTimes: false,
      logoHash: null,
      canSubscribe: true,
      ...page,
    },
    overall: 'up',
    firstDay: '2026-08-19',
    lastDay: '2026-11-16',
    groups: [{ name: 'Website', monitors: [createPageMonitor({ id: 1, label: 'Shop' })] }],
    incidents: [],
    maintenances: [],
    posts: [],
    ...changes,
  }
}

export function createPageMonitor(changes: Partial<SnapshotMonitor> & { id: number }): SnapshotMonitor {
  return {
    label: `Monitor ${changes.id}`,
    state: 'up',
    since: null,
    uptime: { last24Hours: 100, last30Days: 100, last90Days: 100 },
    days: '0-89',
    responseMs: null,
    responseTimes: null,
    ...changes,
  }
}

/** Creates `count` monitors in groups of 10. Every tenth monitor had an outage, and all have response times. */
export function createManyMonitors(count: number): SnapshotGroup[] {
  const monitors = Array.from({ length: count }, (_, index) => createSampleMonitor(index))
  return Array.from({ length: Math.ceil(count / 10) }, (_, group) => ({
    name: `Region ${group + 1}`,
    monitors: monitors.slice(group * 10, group * 10 + 10),
  }))
}

/** Creates a monitor whose figures depend on `index`, because real monitors have different figures, too. */
function createSampleMonitor(index: number): SnapshotMonitor {
  const base = 80 + ((index * 37) % 240)
  const responseTimes = Array.from({ length: 24 }, (_, hour) => base + ((hour * 53 + index * 29) % 61))
  const downDays = [(index * 17) % 90, (index * 31 + 7) % 90].sort((a, b) => a - b)
  const hasDowntime = index % 3 !== 0
  return createPageMonitor({
    id: 100 + index,
    label: `Service ${index + 1}`,
    days: hasDowntime ? `0-89;${downDays.map((day) => `${day}:${40 + ((index * 211) % 4_000)}:1`).join(',')}` : '0-89',
    uptime: { last24Hours: 100, last30Days: 99.99, last90Days: hasDowntime ? 99.9 + (index % 90) / 1_000 : 100 },
    responseMs: base + 30,
    responseTimes,
  })
}

export const openPost: SnapshotPost = {
  id: 7,
  title: 'Checkout is slow for some customers',
  state: 'identified',
  createdAt: SNAPSHOT_TIME - 52 * MINUTE_MS,
  updatedAt: SNAPSHOT_TIME - 20 * MINUTE_MS,
  resolvedAt: null,
  labels: ['Shop', 'Payments'],
  updates: [
    {
      id: 1,
      state: 'investigating',
      body: 'Some payments take **longer than usual**. We are looking into it.',
      createdAt: SNAPSHOT_TIME - 52 * MINUTE_MS,
    },
    {
      id: 2,
      state: 'identified',
      body: 'A database of our payment provider is overloaded:\n\n- Payments by card can fail\n- Payments by invoice work\n\nDetails are on [their page](https://status.example.com/incidents/1).',
      createdAt: SNAPSHOT_TIME - 20 * MINUTE_MS,
    },
  ],
}

export const resolvedPost: SnapshotPost = {
  ...openPost,
  id: 6,
  title: 'Emails were delayed',
  state: 'resolved',
  createdAt: SNAPSHOT_TIME - 50 * HOUR_MS,
  updatedAt: SNAPSHOT_TIME - 48 * HOUR_MS,
  resolvedAt: SNAPSHOT_TIME - 48 * HOUR_MS,
  labels: ['Email'],
  updates: [{ id: 3, state: 'resolved', body: 'All emails were delivered.', createdAt: SNAPSHOT_TIME - 48 * HOUR_MS }],
}

export const resolvedIncident: SnapshotIncident = {
  monitorId: 1,
  label: 'Shop',
  startedAt: SNAPSHOT_TIME - 30 * HOUR_MS,
  resolvedAt: SNAPSHOT_TIME - 30 * HOUR_MS + 14 * MINUTE_MS,
}

export const plannedMaintenance: SnapshotMaintenance = {
  id: 3,
  title: 'Database upgrade',
  note: 'The shop is read-only for a few minutes.\nNo orders are lost.',
  startsAt: SNAPSHOT_TIME + 26 * HOUR_MS,
  endsAt: SNAPSHOT_TIME + 28 * HOUR_MS,
  isActive: false,
  isRecurring: false,
  updatedAt: SNAPSHOT_TIME - 72 * HOUR_MS,
  labels: ['Shop'],
}
