/** A snapshot of a status page with every kind of content. */
import { SNAPSHOT_FORMAT, type StatusPageSnapshot } from '../../src/status-pages/snapshot.ts'

const at = (time: string) => Date.parse(time)

export function createStatusSnapshot(overrides: Partial<StatusPageSnapshot> = {}): StatusPageSnapshot {
  return {
    format: SNAPSHOT_FORMAT,
    readAt: at('2026-11-16T12:00:00.000Z'),
    access: { pageId: 1, teamId: 1, privacy: 0, passwordHash: null },
    page: {
      slug: 'example',
      title: 'Example status',
      description: 'All services of Example Ltd.',
      customDomain: null,
      theme: 'auto',
      accentColor: null,
      timeZone: 'Europe/Berlin',
      showResponseTimes: true,
      logoHash: null,
      feedId: '0b9b5f7a-6f4e-4d0e-9d6e-3f1c2a4b5c6d',
      feedIdSince: at('2026-12-01T00:00:00.000Z'),
      canSubscribe: true,
    },
    overall: 'partly_down',
    firstDay: '2026-08-19',
    lastDay: '2026-11-16',
    groups: [
      {
        name: 'Website',
        monitors: [
          {
            id: 3,
            label: 'Shop',
            state: 'up',
            since: at('2026-11-15T10:05:12.000Z'),
            uptime: { last24Hours: 100, last30Days: 99.988, last90Days: 99.996 },
            days: '0-35,40-89;41:864:2,88:312:1',
            responseMs: 184.4,
            responseTimes: Array.from({ length: 24 }, (_, hour) => (hour < 3 ? null : 150 + hour)),
          },
          {
            id: 4,
            label: 'Orders',
            state: 'down',
            since: at('2026-11-16T11:58:00.000Z'),
            uptime: { last24Hours: 99.8, last30Days: 99.9, last90Days: null },
            days: '80-89;89:120:1:39600',
            responseMs: null,
            responseTimes: null,
          },
        ],
      },
    ],
    incidents: [
      { monitorId: 4, label: 'Orders', startedAt: at('2026-11-16T11:58:00.000Z'), resolvedAt: null },
      {
        monitorId: 3,
        label: 'Shop',
        startedAt: at('2026-11-15T10:00:00.000Z'),
        resolvedAt: at('2026-11-15T10:05:12.000Z'),
      },
    ],
    maintenances: [
      {
        id: 7,
        title: 'Database upgrade',
        note: 'Orders are slower.\nNothing is lost.',
        startsAt: at('2026-11-20T02:00:00.000Z'),
        endsAt: at('2026-11-20T03:00:00.000Z'),
        isActive: false,
        isRecurring: false,
        updatedAt: at('2026-11-10T08:00:00.000Z'),
        labels: ['Orders'],
      },
    ],
    posts: [
      {
        id: 9,
        title: 'Orders fail',
        state: 'identified',
        createdAt: at('2026-11-16T11:59:00.000Z'),
        updatedAt: at('2026-11-16T11:59:30.000Z'),
        resolvedAt: null,
        labels: ['Orders'],
        updates: [
          { id: 20, state: 'investigating', body: 'We are **looking**.', createdAt: at('2026-11-16T11:59:00.000Z') },
          {
            id: 21,
            state: 'identified',
            body: 'A [disk](https://disk.example) is full.',
            createdAt: at('2026-11-16T11:59:30.000Z'),
          },
        ],
      },
    ],
    ...overrides,
  }
}
