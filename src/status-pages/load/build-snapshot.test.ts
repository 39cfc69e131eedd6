import { describe, expect, it } from 'vitest'
import { localDay } from '../../lib/local-day.ts'
import { HOUR_MS } from '../../shared/time.ts'
import type { Spans } from '../../uptime/spans.ts'
import { buildSnapshot } from './build-snapshot.ts'

/** Builds the page of a monitor that has been active for a year. */
function buildPage(timeZone: string, now: number, incidentSpans: Spans) {
  const monitor = { id: 1, label: 'Shop' }
  const snapshot = buildSnapshot(
    {
      access: { teamId: 1, pageId: 1, privacy: 0, passwordHash: null },
      page: {
        slug: 'example',
        title: 'Example',
        description: null,
        customDomain: null,
        theme: 'auto',
        accentColor: null,
        timeZone,
        showResponseTimes: false,
        logoHash: null,
        canSubscribe: false,
      },
      groups: [{ name: 'Services', monitors: [monitor] }],
      content: {
        states: [{ id: 1, status: 'up', status_changed_at: new Date(0), down_since: null }],
        histories: new Map([
          [
            1,
            {
              monitoredSpans: [now - 365 * 86_400_000, Number.POSITIVE_INFINITY],
              incidentSpans,
              monitoredSince: null,
            },
          ],
        ]),
        incidents: [],
        windows: [],
        posts: [],
        updates: [],
      },
      responses: new Map(),
    },
    new Date(now),
  )
  const { firstDay, lastDay, groups } = snapshot
  const [runs, downDays = ''] = (groups[0]?.monitors[0]?.days ?? '').split(';')
  return { firstDay, lastDay, runs, downDays }
}

/** Day 89 is today, and the bars begin on day 0. */
const cases = [
  { timeZone: 'Europe/Berlin', noon: '2026-04-15T10:00Z', changed: '2026-03-29', index: 72, hours: 23 },
  { timeZone: 'Europe/Berlin', noon: '2026-11-16T11:00Z', changed: '2026-10-25', index: 67, hours: 25 },
  { timeZone: 'America/New_York', noon: '2026-04-15T16:00Z', changed: '2026-03-08', index: 51, hours: 23 },
  { timeZone: 'America/New_York', noon: '2026-11-16T17:00Z', changed: '2026-11-01', index: 74, hours: 25 },
]

describe.each(cases)(
  'bars in $timeZone over the clock change on $changed',
  ({ timeZone, noon, changed, index, hours }) => {
    const now = Date.parse(noon)
    const day = localDay(timeZone, changed)

    it('are for 90 days, of which the last begins at local midnight', () => {
      // The monitor was down in the last hour of yesterday and the first half hour of today.
      const midnight = now - 12 * HOUR_MS
      const page = buildPage(timeZone, now, [midnight - HOUR_MS, midnight + HOUR_MS / 2])
      expect(page).toMatchObject({
        lastDay: noon.slice(0, 10),
        runs: '0-89',
        downDays: `88:3600:1,89:1800:1:${12 * 3600}`,
      })
      expect(Date.parse(page.lastDay) - Date.parse(page.firstDay)).toBe(89 * 24 * HOUR_MS)
    })

    it(`count ${hours} hours on the day of the change`, () => {
      const seconds = hours * 3600
      expect(buildPage(timeZone, now, [day.startsAt, day.endsAt]).downDays).toBe(`${index}:${seconds}:1:${seconds}`)
    })

    it('split downtime at both local midnights of the day of the change', () => {
      const seconds = hours * 3600
      expect(buildPage(timeZone, now, [day.startsAt - HOUR_MS, day.endsAt + 2 * HOUR_MS]).downDays).toBe(
        `${index - 1}:3600:1,${index}:${seconds}:1:${seconds},${index + 1}:7200:1`,
      )
    })
  },
)
