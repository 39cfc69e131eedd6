import { describe, expect, it } from 'vitest'
import { formatTimeZone, listTimeZones, searchTimeZones, toTimeZoneChoice } from './time-zone-choices.ts'

const winter = new Date('2026-01-05T10:00:00Z')
const zones = listTimeZones('', winter)
const search = (text: string) => searchTimeZones(zones, text).map(({ name }) => name)

describe('the choice of a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Berlin — UTC+01:00', 'Europe'],
    ['Asia/Calcutta', 'Kolkata — UTC+05:30', 'Asia'],
    ['America/Buenos_Aires', 'Buenos Aires — UTC-03:00', 'Argentina, America'],
    ['UTC', 'UTC', ''],
    ['Africa/Abidjan', 'Abidjan — UTC+00:00', 'Africa'],
    ['Mars/Olympus_Mons', 'Olympus Mons', 'Mars'],
  ])('shows %s as %s', (name, label, region) => {
    const choice = toTimeZoneChoice(name, winter)
    expect([formatTimeZone(choice), choice.region]).toEqual([label, region])
  })

  it('shows the offset of the current season', () => {
    expect(toTimeZoneChoice('Europe/Berlin', new Date('2026-07-05T10:00:00Z')).offset).toBe('UTC+02:00')
  })

  it('lists current names, UTC, and a stored zone that the browser does not know, once each', () => {
    const names = zones.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['UTC', 'Europe/Kyiv', 'Asia/Kolkata']))
    expect(names).not.toContain('Europe/Kiev')
    expect(new Set(names).size).toBe(names.length)
    const listWith = (name: string) => listTimeZones(name, winter).map((zone) => zone.name)
    expect(listWith('Asia/Calcutta')).toHaveLength(names.length)
    expect(listWith('Mars/Olympus_Mons')).toContain('Mars/Olympus_Mons')
  })

  it.each([
    ['berl', 'Europe/Berlin'],
    ['kiev', 'Europe/Kyiv'],
    ['calcutta', 'Asia/Kolkata'],
    ['argentina buenos', 'America/Argentina/Buenos_Aires'],
    ['New_York', 'America/New_York'],
    ['Europe/Vienna', 'Europe/Vienna'],
    ['utc+5:30', 'Asia/Colombo'],
    ['berlin +1', 'Europe/Berlin'],
    ['nuuk', 'America/Nuuk'],
  ])('finds %s', (text, name) => {
    expect(search(text)[0]).toBe(name)
  })

  it('lists cities that begin with the text before other matches, and nothing for other texts', () => {
    expect(search('am').at(0)).toMatch(/\/Am/)
    const offsets = searchTimeZones(zones, 'gmt-3').map(({ offset }) => offset)
    expect(new Set(offsets)).toEqual(new Set(['UTC-03:00', 'UTC-03:30']))
    expect(search('nowhere at all')).toEqual([])
    expect(search('  ')).toHaveLength(zones.length)
  })
})
