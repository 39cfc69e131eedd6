import { describe, expect, it } from 'vitest'
import type { StatusPage } from '../../lib/status-pages.ts'
import {
  diffStatusPage,
  findLiveErrors,
  mergeSavedValues,
  toPreviewDraft,
  toStatusPageInput,
  toStatusPageValues,
} from './values.ts'

const page: StatusPage = {
  id: 7,
  slug: 'example',
  title: 'Example',
  description: null,
  privacy: 0,
  has_password: false,
  custom_domain: null,
  custom_domain_verified_at: null,
  custom_domain_record: null,
  theme: 'auto',
  accent_color: null,
  time_zone: 'Europe/Berlin',
  groups: [{ name: 'Website', monitors: [{ monitor_id: 3, label: 'Shop' }] }],
  show_response_times: false,
  has_logo: false,
  open_posts: 0,
  url: '/status/example',
  created_at: '2026-01-05T10:00:00.000Z',
  updated_at: '2026-01-05T10:00:00.000Z',
}
const values = toStatusPageValues(page)
const input = toStatusPageInput(values)

describe('saving a status page', () => {
  it('sends only what has changed', () => {
    expect(diffStatusPage(input, toStatusPageInput({ ...values }))).toEqual({})
    const changedValues = {
      ...values,
      title: ' Example Ltd. ',
      description: ' ',
      privacy: '2' as const,
      password: 'open sesame',
    }
    expect(diffStatusPage(input, toStatusPageInput(changedValues))).toEqual({
      title: 'Example Ltd.',
      privacy: 2,
      password: 'open sesame',
    })
  })

  it('sends no password for a page without one, and no empty labels', () => {
    const typedValues = {
      ...values,
      password: 'typed before',
      groups: [{ key: 1, name: 'A', monitors: [{ monitorId: 3, label: ' ' }] }],
    }
    expect(toStatusPageInput(typedValues)).not.toHaveProperty('password')
    expect(toStatusPageInput(typedValues).groups).toEqual([{ name: 'A', monitors: [{ monitor_id: 3 }] }])
  })

  it('keeps what the user typed while the page was being saved', () => {
    const currentValues = { ...values, description: 'typed while saving' }
    const savedValues = { ...values, groups: [], title: 'Saved' }
    expect(mergeSavedValues(currentValues, values, savedValues)).toEqual({
      ...savedValues,
      description: 'typed while saving',
    })
  })
})

describe('the errors while typing', () => {
  it('are about the slug and the color', () => {
    expect(findLiveErrors(values)).toEqual({})
    expect(findLiveErrors({ ...values, accent_color: '#0a7d4f' })).toEqual({})
    expect(findLiveErrors({ ...values, slug: 'No', accent_color: 'red' })).toEqual({
      slug: ['Use only lowercase letters (a to z), digits and hyphens.'],
      accent_color: ['Enter a color such as #0a7d4f.'],
    })
    expect(findLiveErrors({ ...values, accent_color: '#ffcc00' })).toEqual({})
  })
})

describe('the draft for the preview', () => {
  it('can be shown while fields are incomplete', () => {
    const groups = [{ key: 1, name: ' ', monitors: [] }]
    const draft = {
      ...values,
      title: '',
      slug: 'a',
      accent_color: '#ffcc',
      groups,
      custom_domain: 'half.typ',
      password: 'x',
    }
    expect(JSON.parse(toPreviewDraft(7, draft))).toEqual({
      id: 7,
      slug: 'preview',
      title: 'Untitled',
      description: null,
      groups: [{ name: 'Unnamed group', monitors: [] }],
      theme: 'auto',
      accent_color: null,
      time_zone: 'Europe/Berlin',
      show_response_times: false,
    })
  })
})
