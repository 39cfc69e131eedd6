import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../support/client.ts'
import { addIncident, addWatch, judge, makeMonitor, path, startMonitoring } from '../../support/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const HOUR = 3_600
const DAY = 24 * HOUR

let server: TestServer
let key: Client
let id: number

beforeAll(async () => {
  ;({ server, key } = await startMonitoring())
})
afterAll(() => server.close())
beforeEach(async () => {
  id = (await makeMonitor(key)).id
})

async function figures(window = '24h') {
  const { meta } = (await key.get(`${path}/${id}/incidents?window=${window}`)).body
  return [meta.downtime_seconds, meta.uptime_percent]
}

interface Span {
  from: number
  to?: number
}

/** In seconds before now; what has no end is open. */
const cases: [what: string, watches: Span[], incidents: Span[], downtime: number, uptime: number | null][] = [
  ['never watched', [], [], 0, null],
  ['watched only before the window', [{ from: 3 * DAY, to: DAY }], [{ from: 2 * DAY, to: DAY }], 0, null],
  ['watched since just now', [{ from: 0 }], [], 0, null],
  ['watched for no time at all', [{ from: 60, to: 60 }], [], 0, null],
  ['always up', [{ from: DAY }], [], 0, 100],
  ['always up for an hour', [{ from: HOUR }], [], 0, 100],
  ['always down', [{ from: DAY }], [{ from: DAY }], DAY, 0],
  ['always down since long before', [{ from: 40 * DAY }], [{ from: 30 * DAY }], DAY, 0],
  ['down for an hour of the day', [{ from: DAY }], [{ from: 5 * HOUR, to: 4 * HOUR }], HOUR, 95.833],
  ['down since an hour', [{ from: 2 * DAY }], [{ from: HOUR }], HOUR, 95.833],
  ['down for the first hour', [{ from: 2 * DAY }], [{ from: DAY + HOUR, to: DAY - HOUR }], HOUR, 95.833],
  [
    'down for three times twenty minutes',
    [{ from: DAY }],
    [1, 2, 3].map((n) => ({ from: n * HOUR, to: n * HOUR - HOUR / 3 })),
    HOUR,
    95.833,
  ],
  ['down for one second', [{ from: DAY }], [{ from: 100, to: 99 }], 1, 99.999],
  ['down for no time', [{ from: DAY }], [{ from: 100, to: 100 }], 0, 100],
  ['down for 0.6 seconds', [{ from: DAY }], [{ from: 100, to: 99.4 }], 0, 99.999],
  ['down for half of what was watched', [{ from: 2 * HOUR }], [{ from: HOUR }], HOUR, 50],
  ['down before it was watched', [{ from: HOUR }], [{ from: 2 * HOUR, to: HOUR }], HOUR, 100],
  ['down from before it was watched until now', [{ from: HOUR }], [{ from: 2 * HOUR }], 2 * HOUR, 0],
  [
    'watched with a break, and down into it',
    [{ from: 10 * HOUR, to: 8 * HOUR }, { from: 2 * HOUR }],
    [{ from: 9 * HOUR, to: 7 * HOUR }],
    2 * HOUR,
    75,
  ],
  [
    'watched and down by another clock until in a minute',
    [{ from: HOUR, to: -60 }],
    [{ from: 60, to: -60 }],
    60,
    98.333,
  ],
  ['watched from in a minute', [{ from: -60 }], [], 0, null],
]

describe('downtime and uptime', () => {
  it.each(cases)('of one that was %s', async (_what, watches, incidents, downtime, uptime) => {
    for (const watch of watches) await addWatch(server, id, watch)
    for (const incident of incidents) await addIncident(server, id, incident)
    expect(await figures()).toEqual([downtime, uptime])
  })

  it('are of the whole window, whatever the page and its order', async () => {
    await addWatch(server, id, { from: 30 * DAY })
    for (const days of [0.5, 2, 20]) await addIncident(server, id, { from: days * DAY, to: days * DAY - 6 * HOUR })
    expect(await figures('24h')).toEqual([6 * HOUR, 75])
    expect(await figures('30d')).toEqual([18 * HOUR, 97.5])
    expect(await figures('30d&pageSize=1&page=2')).toEqual([18 * HOUR, 97.5])
    expect(await figures('30d&page=9')).toEqual([18 * HOUR, 97.5])
    expect(await figures('1y')).toEqual([18 * HOUR, 97.5])
  })

  it('count what overlaps once', async () => {
    await addWatch(server, id, { from: DAY, to: HOUR })
    await addWatch(server, id, { from: 2 * HOUR })
    await addIncident(server, id, { from: 5 * HOUR, to: 2 * HOUR })
    await addIncident(server, id, { from: 4 * HOUR, to: 3 * HOUR })
    expect(await figures()).toEqual([3 * HOUR, 87.5])
  })

  it('go on with time, and stop with a pause', async () => {
    await judge(server, id, 'down')
    server.clock.advance({ hours: 1 })
    expect(await figures()).toEqual([HOUR, 0])
    await key.put(`${path}/${id}`, { is_active: false })
    server.clock.advance({ hours: 1 })
    expect(await figures()).toEqual([HOUR, 0])
    await key.put(`${path}/${id}`, { is_active: true })
    server.clock.advance({ hours: 1 })
    expect(await figures()).toEqual([HOUR, 0])
    await addWatch(server, id, { from: HOUR })
    expect(await figures()).toEqual([HOUR, 50])
    server.clock.advance({ days: 2 })
    expect(await figures()).toEqual([0, 100])
  })

  it('are nothing of anybody else', async () => {
    const stranger = await server.person('stranger')
    const theirs = await makeMonitor(stranger.session)
    await judge(server, theirs.id, 'down')
    const answers = [theirs.id, 999_999].map((of) => key.get(`${path}/${of}/incidents?window=1y`))
    const [foreign, none] = (await Promise.all(answers)).map(({ status, body }) => ({
      ...body,
      status,
      request_id: '',
    }))
    expect(foreign?.status).toBe(404)
    expect(foreign).toEqual(none)
  })
})
