import { describe, expect, it } from 'vitest'
import { scheduleMeasurement } from './measure.ts'

const at = (time: string) => new Date(`2026-01-05T${time}Z`)

describe('the next measurement', () => {
  it.each([
    ['10:00:00', '10:00:30'],
    ['10:04:00', '10:04:30'],
    ['10:10:00', '10:11:00'],
    ['11:00:00', '11:06:00'],
    ['22:00:00', '22:10:00'],
  ])('of an ongoing incident that began at 10:00:00, scheduled at %s, is at %s', (now, next) => {
    expect(scheduleMeasurement(at('10:00:00'), null, at(now))).toEqual(at(next))
  })

  it.each([
    ['10:30:00', '10:35:00'],
    ['10:34:59', '10:35:00'],
    ['10:35:00', '11:30:00'],
    ['12:00:00', '16:30:00'],
  ])('of an incident that ended at 10:30:00, scheduled at %s, is at %s', (now, next) => {
    expect(scheduleMeasurement(at('10:00:00'), at('10:30:00'), at(now))).toEqual(at(next))
  })

  it('does not exist after a measurement one day after the end of the incident', () => {
    const [start, end] = [at('10:00:00'), at('10:30:00')]
    expect(scheduleMeasurement(start, end, at('16:30:00'))).toEqual(new Date('2026-01-06T10:30:00Z'))
    expect(scheduleMeasurement(start, end, new Date('2026-01-06T10:30:00Z'))).toBeNull()
  })
})
