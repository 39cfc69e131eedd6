import { describe, expect, it } from 'vitest'
import type { Maintenance } from '../../lib/maintenances.ts'
import {
  createMaintenanceValues,
  diffMaintenance,
  findMaintenanceErrors,
  toMaintenanceInput,
  toMaintenanceValues,
} from './values.ts'

const maintenance: Maintenance = {
  id: 5,
  title: 'Database upgrade',
  note: null,
  starts_at: '2026-01-05T10:00:07.000Z',
  ends_at: '2026-01-05T11:00:07.000Z',
  recurrence: null,
  all_monitors: false,
  monitor_ids: [3],
  tags: [],
  state: 'active',
  created_at: '2026-01-05T10:00:07.000Z',
  updated_at: '2026-01-05T10:00:07.000Z',
}
const values = createMaintenanceValues(Date.parse('2026-01-05T10:20:00.000Z'))

describe('the request for a maintenance', () => {
  it('that starts now has a duration and no start', () => {
    expect(toMaintenanceInput({ ...values, title: 'Deploy', tags: ['not chosen'] })).toEqual({
      title: 'Deploy',
      note: null,
      duration_seconds: 1_800,
      recurrence: null,
      all_monitors: true,
      tags: [],
      monitor_ids: [],
    })
  })

  it('that is planned begins at the next full hour unless changed', () => {
    const input = toMaintenanceInput({ ...values, timing: 'once', endBy: 'time', target: 'tags', tags: ['shop'] })
    expect(input).toMatchObject({ starts_at: '2026-01-05T11:00:00.000Z', ends_at: '2026-01-05T12:00:00.000Z' })
    expect(input).toMatchObject({ all_monitors: false, tags: ['shop'], monitor_ids: [] })
  })

  it('that recurs has an expression and a time zone', () => {
    const recurringValues = {
      ...values,
      timing: 'recurring' as const,
      weekdays: [6, 0],
      time: '02:30',
      time_zone: 'Asia/Tokyo',
    }
    expect(toMaintenanceInput(recurringValues).recurrence).toEqual({
      cron: '30 2 * * 0,6',
      time_zone: 'Asia/Tokyo',
      duration_seconds: 1_800,
      until: null,
    })
    expect(toMaintenanceInput({ ...recurringValues, repeat: 'cron', cron: '@daily' }).recurrence?.cron).toBe('@daily')
  })

  it('that recurs weekly needs days and a time, which only the form can check', () => {
    const weekly = { ...values, timing: 'recurring' as const, weekdays: [], time: '' }
    expect(findMaintenanceErrors(weekly)).toEqual({
      weekdays: ['Choose at least one day.'],
      time: ['Enter a time.'],
    })
    expect(findMaintenanceErrors({ ...weekly, weekdays: [1], time: '00:00' })).toEqual({})
    expect(findMaintenanceErrors({ ...weekly, repeat: 'cron' })).toEqual({})
    expect(findMaintenanceErrors({ ...weekly, timing: 'once' })).toEqual({})
  })

  it('sends text that is not a number or time unchanged', () => {
    expect(toMaintenanceInput({ ...values, duration: 'long' }).duration_seconds).toBe('long')
    expect(toMaintenanceInput({ ...values, timing: 'once', starts: '' }).starts_at).toBe('')
  })
})

describe('the changes to save', () => {
  const savedValues = toMaintenanceValues(maintenance)
  const diff = (changes: Partial<typeof savedValues>) =>
    diffMaintenance(toMaintenanceInput(savedValues), toMaintenanceInput({ ...savedValues, ...changes }))

  it('leave out unchanged times, because the form shows them without seconds', () => {
    expect(diff({})).toEqual({})
    expect(diff({ title: 'Upgrade', target: 'all' })).toEqual({ title: 'Upgrade', all_monitors: true, monitor_ids: [] })
  })

  it('replace a single time with a recurrence, and a recurrence with a single time', () => {
    expect(diff({ timing: 'recurring' })).toEqual({ recurrence: expect.objectContaining({ cron: '0 2 * * 0' }) })
    const recurrence = { cron: '0 2 * * 1', time_zone: 'UTC', duration_seconds: 5_400, until: null }
    const recurringValues = toMaintenanceValues({ ...maintenance, recurrence })
    expect(recurringValues).toMatchObject({
      repeat: 'weekly',
      weekdays: [1],
      time: '02:00',
      duration: '90',
      time_zone: 'UTC',
    })
    const input = toMaintenanceInput({ ...recurringValues, timing: 'once' })
    expect(Object.keys(diffMaintenance(toMaintenanceInput(recurringValues), input))).toEqual([
      'starts_at',
      'ends_at',
      'recurrence',
    ])
  })
})
