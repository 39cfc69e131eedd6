import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  addIncident,
  addMonitoredPeriod,
  createMonitor,
  monitorsPath,
  setFirstStatus,
  shareMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const HOUR_SECONDS = 3_600
const DAY_SECONDS = 24 * HOUR_SECONDS

let server: TestServer
let keyClient: Client
let id: number

beforeAll(async () => {
  ;({ server, keyClient } = await shareMonitorFixture())
})
afterAll(() => server.close())
beforeEach(async () => {
  id = (await createMonitor(keyClient)).id
})

async function readDowntimeAndUptime(window = '24h') {
  const { meta } = (await keyClient.get(`${monitorsPath}/${id}/incidents?window=${window}`)).body
  return [meta.downtime_seconds, meta.uptime_percent]
}

interface Period {
  from: number
  to?: number
}

/** `from` and `to` are in seconds before now. A period without `to` is still open. */
const cases: [description: string, periods: Period[], incidents: Period[], downtime: number, uptime: number | null][] =
  [
    ['never checked', [], [], 0, null],
    [
      'checked only before the window',
      [{ from: 3 * DAY_SECONDS, to: DAY_SECONDS }],
      [{ from: 2 * DAY_SECONDS, to: DAY_SECONDS }],
      0,
      null,
    ],
    ['first checked at this moment', [{ from: 0 }], [], 0, null],
    ['checked for zero seconds', [{ from: 60, to: 60 }], [], 0, null],
    ['always up', [{ from: DAY_SECONDS }], [], 0, 100],
    ['up for the hour since it was created', [{ from: HOUR_SECONDS }], [], 0, 100],
    ['always down', [{ from: DAY_SECONDS }], [{ from: DAY_SECONDS }], DAY_SECONDS, 0],
    ['down since long before the window', [{ from: 40 * DAY_SECONDS }], [{ from: 30 * DAY_SECONDS }], DAY_SECONDS, 0],
    [
      'down for one hour',
      [{ from: DAY_SECONDS }],
      [{ from: 5 * HOUR_SECONDS, to: 4 * HOUR_SECONDS }],
      HOUR_SECONDS,
      95.833,
    ],
    ['down for the last hour', [{ from: 2 * DAY_SECONDS }], [{ from: HOUR_SECONDS }], HOUR_SECONDS, 95.833],
    [
      'down for the first hour of the window',
      [{ from: 2 * DAY_SECONDS }],
      [{ from: DAY_SECONDS + HOUR_SECONDS, to: DAY_SECONDS - HOUR_SECONDS }],
      HOUR_SECONDS,
      95.833,
    ],
    [
      'down three times for 20 minutes',
      [{ from: DAY_SECONDS }],
      [1, 2, 3].map((n) => ({ from: n * HOUR_SECONDS, to: n * HOUR_SECONDS - HOUR_SECONDS / 3 })),
      HOUR_SECONDS,
      95.833,
    ],
    ['down for one second', [{ from: DAY_SECONDS }], [{ from: 100, to: 99 }], 1, 99.999],
    ['down for zero seconds', [{ from: DAY_SECONDS }], [{ from: 100, to: 100 }], 0, 100],
    ['down for 0.6 seconds', [{ from: DAY_SECONDS }], [{ from: 100, to: 99.4 }], 0, 99.999],
    ['down for half of the monitored time', [{ from: 2 * HOUR_SECONDS }], [{ from: HOUR_SECONDS }], HOUR_SECONDS, 50],
    [
      'down before it was monitored',
      [{ from: HOUR_SECONDS }],
      [{ from: 2 * HOUR_SECONDS, to: HOUR_SECONDS }],
      HOUR_SECONDS,
      100,
    ],
    ['down since before it was monitored', [{ from: HOUR_SECONDS }], [{ from: 2 * HOUR_SECONDS }], 2 * HOUR_SECONDS, 0],
    [
      'down until after its monitored period ended',
      [{ from: 10 * HOUR_SECONDS, to: 8 * HOUR_SECONDS }, { from: 2 * HOUR_SECONDS }],
      [{ from: 9 * HOUR_SECONDS, to: 7 * HOUR_SECONDS }],
      2 * HOUR_SECONDS,
      75,
    ],
    [
      'monitored and down until one minute in the future, by the clock of another node',
      [{ from: HOUR_SECONDS, to: -60 }],
      [{ from: 60, to: -60 }],
      60,
      98.333,
    ],
    ['monitored from one minute in the future, by the clock of another node', [{ from: -60 }], [], 0, null],
  ]

describe('downtime and uptime', () => {
  it.each(cases)('are correct for a monitor that was %s', async (_case, periods, incidents, downtime, uptime) => {
    for (const period of periods) await addMonitoredPeriod(server, id, period)
    for (const incident of incidents) await addIncident(server, id, incident)
    expect(await readDowntimeAndUptime()).toEqual([downtime, uptime])
  })

  it('cover the whole window, whichever page of incidents is requested', async () => {
    await addMonitoredPeriod(server, id, { from: 30 * DAY_SECONDS })
    for (const days of [0.5, 2, 20])
      await addIncident(server, id, { from: days * DAY_SECONDS, to: days * DAY_SECONDS - 6 * HOUR_SECONDS })
    expect(await readDowntimeAndUptime('24h')).toEqual([6 * HOUR_SECONDS, 75])
    expect(await readDowntimeAndUptime('30d')).toEqual([18 * HOUR_SECONDS, 97.5])
    expect(await readDowntimeAndUptime('30d&pageSize=1&page=2')).toEqual([18 * HOUR_SECONDS, 97.5])
    expect(await readDowntimeAndUptime('30d&page=9')).toEqual([18 * HOUR_SECONDS, 97.5])
    expect(await readDowntimeAndUptime('1y')).toEqual([18 * HOUR_SECONDS, 97.5])
  })

  it('count overlapping periods once', async () => {
    await addMonitoredPeriod(server, id, { from: DAY_SECONDS, to: HOUR_SECONDS })
    await addMonitoredPeriod(server, id, { from: 2 * HOUR_SECONDS })
    await addIncident(server, id, { from: 5 * HOUR_SECONDS, to: 2 * HOUR_SECONDS })
    await addIncident(server, id, { from: 4 * HOUR_SECONDS, to: 3 * HOUR_SECONDS })
    expect(await readDowntimeAndUptime()).toEqual([3 * HOUR_SECONDS, 87.5])
  })

  it('increase with time, and stop when the monitor is paused', async () => {
    await setFirstStatus(server, id, 'down')
    server.clock.advance({ hours: 1 })
    expect(await readDowntimeAndUptime()).toEqual([HOUR_SECONDS, 0])
    await keyClient.put(`${monitorsPath}/${id}`, { is_active: false })
    server.clock.advance({ hours: 1 })
    expect(await readDowntimeAndUptime()).toEqual([HOUR_SECONDS, 0])
    await keyClient.put(`${monitorsPath}/${id}`, { is_active: true })
    server.clock.advance({ hours: 1 })
    expect(await readDowntimeAndUptime()).toEqual([HOUR_SECONDS, 0])
    await addMonitoredPeriod(server, id, { from: HOUR_SECONDS })
    expect(await readDowntimeAndUptime()).toEqual([HOUR_SECONDS, 50])
    server.clock.advance({ days: 2 })
    expect(await readDowntimeAndUptime()).toEqual([0, 100])
  })

  it('are not available for monitors of other users', async () => {
    const stranger = await server.createUser('stranger')
    const otherUsersMonitor = await createMonitor(stranger.session)
    await setFirstStatus(server, otherUsersMonitor.id, 'down')
    const responses = [otherUsersMonitor.id, 999_999].map((monitorId) =>
      keyClient.get(`${monitorsPath}/${monitorId}/incidents?window=1y`),
    )
    const [otherUsersBody, missingBody] = (await Promise.all(responses)).map(({ status, body }) => ({
      ...body,
      status,
      request_id: '',
    }))
    expect(otherUsersBody?.status).toBe(404)
    expect(otherUsersBody).toEqual(missingBody)
  })
})
