import { describe, expect, it } from 'vitest'
import type { MonitorStatus } from '../../../src/shared/monitors.ts'
import { formatNumber } from '../../lib/format.ts'
import { describeStatusChanges } from './summary.ts'

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
    const many = Array.from({ length: 1_200 }, (_, n) => [`Shop ${n}`, 'up', 'down'] as const)
    expect(
      describeChanges(...many.map((change) => [...change] as [string, MonitorStatus, MonitorStatus]), [
        'Mail',
        'down',
        'up',
      ]),
    ).toBe(`${formatNumber(1_200)} monitors went down. Mail is back up.`)
  })
})
