import { expect, it } from 'vitest'
import { currentZoneNames, findEarlierZoneName, toCurrentZoneName } from './time-zones.ts'

it('time zones have their current names', () => {
  expect(toCurrentZoneName('Asia/Calcutta')).toBe('Asia/Kolkata')
  expect(toCurrentZoneName('Europe/Berlin')).toBe('Europe/Berlin')
})

// A wrong entry in the table would be another zone, or none at all.
it.each(Object.entries(currentZoneNames))('%s is the same zone as %s', (earlier, current) => {
  expect(findEarlierZoneName(current)).toBe(earlier)
  const resolve = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  expect(resolve(current)).toBe(resolve(earlier))
})
