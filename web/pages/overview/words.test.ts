import { describe, expect, it } from 'vitest'
import type { MonitorStatus } from '../../../src/monitors/schema.ts'
import { formatNumber } from '../../lib/format.ts'
import { tellChanges } from './words.ts'

function tell(...changes: [name: string, before: MonitorStatus | undefined, after: MonitorStatus][]): string {
  const before = new Map(changes.flatMap(([, status], id) => (status === undefined ? [] : [[id, status] as const])))
  return tellChanges(
    before,
    changes.map(([friendly_name, , status], id) => ({ id, friendly_name, status })),
  )
}

describe('what is said of changes', () => {
  it('is what went down and what came back', () => {
    expect(tell(['Shop', 'up', 'down'], ['Mail', 'down', 'up'], ['Blog', 'up', 'up'])).toBe(
      'Shop is down. Mail is up again.',
    )
  })

  it('is nothing where nobody needs to know', () => {
    expect(tell(['Shop', 'pending', 'up'], ['Mail', 'down', 'paused'], ['Blog', undefined, 'down'])).toBe('')
  })

  it('is a number where there are many', () => {
    const many = Array.from({ length: 1_200 }, (_, n) => [`Shop ${n}`, 'up', 'down'] as const)
    expect(tell(...many.map((one) => [...one] as [string, MonitorStatus, MonitorStatus]), ['Mail', 'down', 'up'])).toBe(
      `${formatNumber(1_200)} monitors went down. Mail is up again.`,
    )
  })
})
