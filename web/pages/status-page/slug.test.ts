import { expect, it } from 'vitest'
import { deriveSlug, findSlugError, isValidSlug } from './slug.ts'

it('deriveSlug derives the slug from the title', () => {
  expect(deriveSlug('Example')).toBe('example')
  expect(deriveSlug('  Zürich – Café & Straße: status!  ')).toBe('zurich-cafe-strasse-status')
  expect(deriveSlug("Ada's Bob’s")).toBe('adas-bobs')
  expect(deriveSlug('監視')).toBe('')
  expect(deriveSlug(`${'a'.repeat(49)} b`)).toBe('a'.repeat(49))
})

it('findSlugError names what is wrong with a slug', () => {
  expect(isValidSlug('my-page-2')).toBe(true)
  expect(findSlugError('')).toBeUndefined()
  expect(isValidSlug('')).toBe(false)
  expect(findSlugError('My page')).toBe('Use only lowercase letters (a to z), digits and hyphens.')
  expect(findSlugError('page-')).toBe('Must not begin or end with a hyphen.')
  expect(findSlugError('ab')).toBe('Must have at least 3 characters.')
  expect(findSlugError('a'.repeat(51))).toBe('Must have at most 50 characters.')
})
