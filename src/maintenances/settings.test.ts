import { expect, it } from 'vitest'
import type { Problem } from '../lib/problem.ts'
import type { UpdateMaintenance } from './schema.ts'
import { type CurrentMaintenance, changeMaintenanceSettings } from './settings.ts'

/** A maintenance in progress, from 10:00 to 11:00. */
const current: CurrentMaintenance = {
  title: 'Upgrade',
  note: null,
  recurrence: null,
  allMonitors: false,
  monitorIds: [],
  tags: ['shop'],
  window: { startsAt: new Date('2026-01-05T10:00:00Z'), endsAt: new Date('2026-01-05T11:00:00Z') },
  state: 'active',
}

function findErrors(input: UpdateMaintenance): Problem['errors'] {
  try {
    changeMaintenanceSettings(current, input, { now: new Date('2026-01-05T10:30:00Z'), defaultTimeZone: 'UTC' })
    return undefined
  } catch (error) {
    return (error as Problem).errors
  }
}

it.each<[UpdateMaintenance, Problem['errors']]>([
  [{ tags: ['a', 'A'] }, { tags: ['`tags` must not contain the same tag twice: A.'] }],
  [{ tags: [] }, { monitor_ids: ['`monitor_ids` must not be empty unless `tags` or `all_monitors` is set.'] }],
  [
    { starts_at: '2026-01-05T12:00:00Z' },
    { starts_at: ["`starts_at` can't change while the maintenance is in progress."] },
  ],
  [
    { duration_seconds: 60 },
    { duration_seconds: ['`duration_seconds` must be longer: the end would be in the past.'] },
  ],
])('the change %j of a maintenance in progress has only the error %j', (input, errors) => {
  expect(findErrors(input)).toEqual(errors)
})
