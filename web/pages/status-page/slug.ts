/** The last part of a status page's URL. */
import { MAX_SLUG_LENGTH, MIN_SLUG_LENGTH, SLUG_PATTERN } from '../../../src/shared/status-pages.ts'

/**
 * The slug for a title: "Zürich – Ada's café" becomes "zurich-adas-cafe". A short title can give a slug that is too
 * short.
 */
export function deriveSlug(title: string): string {
  return title
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[\p{Mark}'’]/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replaceAll(/^-+|-+$/g, '')
}

const pattern = new RegExp(SLUG_PATTERN)

/** Why the server would refuse the slug. Undefined while nothing has been typed. */
export function findSlugError(slug: string): string | undefined {
  if (slug === '') return undefined
  if (/[^a-z0-9-]/.test(slug)) return 'Use only lowercase letters (a to z), digits and hyphens.'
  if (!pattern.test(slug)) return 'Must not begin or end with a hyphen.'
  if (slug.length < MIN_SLUG_LENGTH) return `Must have at least ${MIN_SLUG_LENGTH} characters.`
  if (slug.length > MAX_SLUG_LENGTH) return `Must have at most ${MAX_SLUG_LENGTH} characters.`
  return undefined
}

export const isValidSlug = (slug: string) => slug !== '' && findSlugError(slug) === undefined
