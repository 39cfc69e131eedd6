import { describe, expect, it } from 'vitest'
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { formatNumber } from '../../lib/format.ts'
import type { Overview, OverviewMonitor } from '../../lib/queries.ts'
import { computeFigures, describeStatusChanges } from './summary.ts'

function describeChanges(
  ...changes: [name: string, before: MonitorStatus | undefined, after: MonitorStatus][]
): string {
  const before = new Map(changes.flatMap(([, status], id) => (status === undefined ? [] : [[id, status] as const])))
  return describeStatusChanges(
    before,
    changes.map(([friendly_name, , status], id) => ({ id, friendly_name, status })),
  )
}

describe('the announcement of status changes', () => {
  it('names the monitors that went down or recovered', () => {
    expect(describeChanges(['Shop', 'up', 'down'], ['Mail', 'down', 'up'], ['Blog', 'up', 'up'])).toBe(
      'Shop went down. Mail is back up.',
    )
  })

  it('is empty for monitors that are new, paused, or up after their first check', () => {
    expect(describeChanges(['Shop', 'pending', 'up'], ['Mail', 'down', 'paused'], ['Blog', undefined, 'down'])).toBe('')
  })

  it('gives a number instead of names when many monitors change', () => {
    const manyChanges = Array.from({ length: 1_200 }, (_, n) => [`Shop ${n}`, 'up', 'down'] as const)
    expect(
      describeChanges(...manyChanges.map((change) => [...change] as [string, MonitorStatus, MonitorStatus]), [
        'Mail',
        'down',
        'up',
      ]),
    ).toBe(`${formatNumber(1_200)} monitors went down. Mail is back up.`)
  })
})

describe('the figures of the overview', () => {
  const summary = {
    up: 40,
    down: 3,
    pending: 2,
    paused: 1,
    visitors_now: 7,
    visitors_today: 20,
    visitors_yesterday: 30,
    uptime_percent: 99.5,
    has_downtime: true,
    monitored_since: null,
    monitored_seconds: 7_776_000,
  }
  const monitors = (['up', 'up', 'down', 'pending'] as const).map(
    (status, id) => ({ id, status, last_response_ms: status === 'pending' ? null : 100 + 50 * id }) as OverviewMonitor,
  )
  const overview = { summary, monitors, websites: [{ visitors_now: 4 }, { visitors_now: 5 }] } as unknown as Overview

  it('leave durations of jobs and lookups of expiry dates out of the average response time', () => {
    const otherMonitors = (['heartbeat', 'tls', 'domain'] as const).map(
      (type) => ({ type, status: 'up', last_response_ms: 7_200_000 }) as OverviewMonitor,
    )
    const figures = computeFigures({ ...overview, is_complete: true, monitors: [...monitors, ...otherMonitors] })
    expect(figures).toMatchObject({ up: 5, responseMs: 125 })
  })

  it('are the counts of the server until all monitors have arrived', () => {
    expect(computeFigures({ ...overview, is_complete: false })).toMatchObject({
      up: 40,
      down: 3,
      visitorsNow: 7,
      visitorsToday: 20,
      uptimePercent: undefined,
      responseMs: undefined,
    })
  })

  it('are counted from the records once all monitors have arrived, because live updates change the records', () => {
    expect(computeFigures({ ...overview, is_complete: true })).toMatchObject({
      up: 2,
      down: 1,
      pending: 1,
      paused: 0,
      visitorsNow: 9,
      visitorsYesterday: 30,
      uptimePercent: 99.5,
      responseMs: 125,
    })
  })

  it('exclude sample data', () => {
    const sampleWebsite = { id: 9, is_sample: true, visitors_now: 40 }
    const sampleMonitor = { id: 10, status: 'paused', last_response_ms: 10, is_sample: true } as OverviewMonitor
    const overviewWithSample = {
      ...overview,
      is_complete: true,
      websites: [...overview.websites, sampleWebsite],
      monitors: [...monitors, sampleMonitor],
    } as unknown as Overview
    expect(computeFigures(overviewWithSample)).toMatchObject({ up: 2, paused: 0, visitorsNow: 9 })
  })
})
