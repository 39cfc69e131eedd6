import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import {
  addIncident,
  addWatch,
  createMonitor,
  monitorsPath,
  setFirstStatus,
  startMonitorFixture,
} from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

let server: TestServer
let key: Client
let id: number

beforeAll(async () => {
  ;({ server, key } = await startMonitorFixture())
})
afterAll(() => server.close())
beforeEach(async () => {
  id = (await createMonitor(key)).id
})

async function readFigures(window = '24h') {
  const { meta } = (await key.get(`${monitorsPath}/${id}/incidents?window=${window}`)).body
  return [meta.downtime_seconds, meta.uptime_percent]
}

interface Period {
  from: number
  to?: number
}

/** `from` and `to` are in seconds before now. A period without `to` is still open. */
const cases: [description: string, watches: Period[], incidents: Period[], downtime: number, uptime: number | null][] =
  [
    ['never checked', [], [], 0, null],
    ['checked only before the window', [{ from: 3 * DAY, to: DAY }], [{ from: 2 * DAY, to: DAY }], 0, null],
    ['checked since this moment', [{ from: 0 }], [], 0, null],
    ['checked for zero seconds', [{ from: 60, to: 60 }], [], 0, null],
    ['always up', [{ from: DAY }], [], 0, 100],
    ['up for the hour since it was created', [{ from: HOUR }], [], 0, 100],
    ['always down', [{ from: DAY }], [{ from: DAY }], DAY, 0],
    ['down since long before the window', [{ from: 40 * DAY }], [{ from: 30 * DAY }], DAY, 0],
    ['down for one hour', [{ from: DAY }], [{ from: 5 * HOUR, to: 4 * HOUR }], HOUR, 95.833],
    ['down for the last hour', [{ from: 2 * DAY }], [{ from: HOUR }], HOUR, 95.833],
    [
      'down for the first hour of the window',
      [{ from: 2 * DAY }],
      [{ from: DAY + HOUR, to: DAY - HOUR }],
      HOUR,
      95.833,
    ],
    [
      'down three times for 20 minutes',
      [{ from: DAY }],
      [1, 2, 3].map((n) => ({ from: n * HOUR, to: n * HOUR - HOUR / 3 })),
      HOUR,
      95.833,
    ],
    ['down for one second', [{ from: DAY }], [{ from: 100, to: 99 }], 1, 99.999],
    ['down for zero seconds', [{ from: DAY }], [{ from: 100, to: 100 }], 0, 100],
    ['down for 0.6 seconds', [{ from: DAY }], [{ from: 100, to: 99.4 }], 0, 99.999],
    ['down for half of the watched time', [{ from: 2 * HOUR }], [{ from: HOUR }], HOUR, 50],
    ['down before its watch', [{ from: HOUR }], [{ from: 2 * HOUR, to: HOUR }], HOUR, 100],
    ['down since before its watch', [{ from: HOUR }], [{ from: 2 * HOUR }], 2 * HOUR, 0],
    [
      'down until after its watch ended',
      [{ from: 10 * HOUR, to: 8 * HOUR }, { from: 2 * HOUR }],
      [{ from: 9 * HOUR, to: 7 * HOUR }],
      2 * HOUR,
      75,
    ],
    [
      'watched and down until one minute from now, by the clock of another node',
      [{ from: HOUR, to: -60 }],
      [{ from: 60, to: -60 }],
      60,
      98.333,
    ],
    ['watched from one minute from now', [{ from: -60 }], [], 0, null],
  ]

describe('downtime and uptime', () => {
  it.each(cases)('of a monitor that was %s', async (_case, watches, incidents, downtime, uptime) => {
    for (const watch of watches) await addWatch(server, id, watch)
    for (const incident of incidents) await addIncident(server, id, incident)
    expect(await readFigures()).toEqual([downtime, uptime])
  })

  it('cover the whole window, independent of the page', async () => {
    await addWatch(server, id, { from: 30 * DAY })
    for (const days of [0.5, 2, 20]) await addIncident(server, id, { from: days * DAY, to: days * DAY - 6 * HOUR })
    expect(await readFigures('24h')).toEqual([6 * HOUR, 75])
    expect(await readFigures('30d')).toEqual([18 * HOUR, 97.5])
    expect(await readFigures('30d&pageSize=1&page=2')).toEqual([18 * HOUR, 97.5])
    expect(await readFigures('30d&page=9')).toEqual([18 * HOUR, 97.5])
    expect(await readFigures('1y')).toEqual([18 * HOUR, 97.5])
  })

  it('count overlapping periods once', async () => {
    await addWatch(server, id, { from: DAY, to: HOUR })
    await addWatch(server, id, { from: 2 * HOUR })
    await addIncident(server, id, { from: 5 * HOUR, to: 2 * HOUR })
    await addIncident(server, id, { from: 4 * HOUR, to: 3 * HOUR })
    expect(await readFigures()).toEqual([3 * HOUR, 87.5])
  })

  it('increase with time, and stop when the monitor is paused', async () => {
    await setFirstStatus(server, id, 'down')
    server.clock.advance({ hours: 1 })
    expect(await readFigures()).toEqual([HOUR, 0])
    await key.put(`${monitorsPath}/${id}`, { is_active: false })
    server.clock.advance({ hours: 1 })
    expect(await readFigures()).toEqual([HOUR, 0])
    await key.put(`${monitorsPath}/${id}`, { is_active: true })
    server.clock.advance({ hours: 1 })
    expect(await readFigures()).toEqual([HOUR, 0])
    await addWatch(server, id, { from: HOUR })
    expect(await readFigures()).toEqual([HOUR, 50])
    server.clock.advance({ days: 2 })
    expect(await readFigures()).toEqual([0, 100])
  })

  it('are not available for monitors of other users', async () => {
    const stranger = await server.createUser('stranger')
    const otherUsersMonitor = await createMonitor(stranger.session)
    await setFirstStatus(server, otherUsersMonitor.id, 'down')
    const responses = [otherUsersMonitor.id, 999_999].map((monitorId) =>
      key.get(`${monitorsPath}/${monitorId}/incidents?window=1y`),
    )
    const [foreign, none] = (await Promise.all(responses)).map(({ status, body }) => ({
      ...body,
      status,
      request_id: '',
    }))
    expect(foreign?.status).toBe(404)
    expect(foreign).toEqual(none)
  })
})
