import { describe, expect, it } from 'vitest'
import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { changesOf, valuesOf, withUntouched } from './values.ts'

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
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: '2026-01-05T10:00:00.000Z',
}

describe('what is sent of the settings', () => {
  it('is nothing where nothing was changed', () => {
    expect(changesOf(website, valuesOf(website))).toEqual({})
  })

  it('is what was changed, as the API spells it', () => {
    const values = { ...valuesOf(website), privacy: '0' as const, email: true, exclude_bots: false, exclude_params: '' }
    expect(changesOf(website, values)).toEqual({ privacy: 0, email: 1, exclude_bots: 0, exclude_params: '' })
  })

  it('has a password only where one was typed', () => {
    expect(changesOf(website, { ...valuesOf(website), password: 'open sesame' })).toEqual({ password: 'open sesame' })
  })
})

it('takes back what was saved, and leaves what was typed since', () => {
  const before = valuesOf(website)
  const saved = { ...before, favorite: true, exclude_params: 'utm_*' }
  expect(withUntouched({ ...saved, exclude_ips: '192.0.2.1' }, saved, before)).toEqual({
    ...before,
    exclude_ips: '192.0.2.1',
  })
})
