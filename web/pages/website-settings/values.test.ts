import { describe, expect, it } from 'vitest'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { keepEdits, pickChangedFields, toSettingsValues } from './values.ts'

const website: WebsiteRecord = {
  id: 12,
  domain: 'example.com',
  privacy: 2,
  has_password: true,
  email: 0,
  exclude_bots: 1,
  exclude_params: 'ref',
  exclude_ips: null,
  favorite: false,
  time_zone: 'UTC',
  watch_traffic: false,
  watch_spikes: false,
  silence_alarms_a_year: 1,
  quiet_days: [],
  holidays: null,
  is_sample: false,
  tags: ['shop'],
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: '2026-01-05T10:00:00.000Z',
}

describe('the changes to save', () => {
  it('are empty if the user changed nothing', () => {
    expect(pickChangedFields(website, { ...toSettingsValues(website), tags: ['shop'] })).toEqual({})
  })

  it('include only changed fields, in the format of the API', () => {
    const values = {
      ...toSettingsValues(website),
      privacy: '0' as const,
      email: true,
      exclude_bots: false,
      exclude_params: '',
      tags: ['shop', 'eu'],
    }
    const changes = { privacy: 0, email: 1, exclude_bots: 0, exclude_params: '', tags: ['shop', 'eu'] }
    expect(pickChangedFields(website, values)).toEqual(changes)
    const alerts = { watch_traffic: true, silence_alarms_a_year: 12, quiet_days: ['2026-12-24'], holidays: 'DE' }
    expect(pickChangedFields(website, { ...toSettingsValues(website), ...alerts })).toEqual(alerts)
  })

  it('include the password only if one was typed', () => {
    expect(pickChangedFields(website, { ...toSettingsValues(website), password: 'open sesame' })).toEqual({
      password: 'open sesame',
    })
  })
})

it('undoing a save keeps edits that were made after it', () => {
  const valuesBefore = toSettingsValues(website)
  const savedValues = { ...valuesBefore, favorite: true, exclude_params: 'utm_*' }
  expect(keepEdits({ ...savedValues, exclude_ips: '192.0.2.1' }, savedValues, valuesBefore)).toEqual({
    ...valuesBefore,
    exclude_ips: '192.0.2.1',
  })
})
