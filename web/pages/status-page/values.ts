/** The values of the status page editor, and their conversion from a status page and to an API request. */

import type { StatusPageTheme } from '../../../src/shared/status-pages.ts'
import type { CreateStatusPage, UpdateStatusPage } from '../../../src/status-pages/schema.ts'
import type { PrivacyChoice } from '../../components/privacy-fields.tsx'
import { browserTimeZone } from '../../lib/format.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import type { LogoFile } from './logo-file.ts'
import type { EditedGroups } from './page-order.ts'
import { findSlugError, isValidSlug } from './slug.ts'

export interface StatusPageValues {
  title: string
  slug: string
  description: string
  groups: EditedGroups
  theme: StatusPageTheme
  /** Empty for Belfry's own color. */
  accent_color: string
  time_zone: string
  show_response_times: boolean
  privacy: PrivacyChoice
  password: string
  custom_domain: string
  /** The chosen file; null to remove the logo; undefined to keep it as it is. */
  logo: LogoFile | null | undefined
}

export function createStatusPageValues(): StatusPageValues {
  return {
    title: '',
    slug: '',
    description: '',
    groups: [{ key: 1, name: 'Services', monitors: [] }],
    theme: 'auto',
    accent_color: '',
    time_zone: browserTimeZone,
    show_response_times: false,
    privacy: '0',
    password: '',
    custom_domain: '',
    logo: undefined,
  }
}

export function toStatusPageValues(page: StatusPage): StatusPageValues {
  return {
    title: page.title,
    slug: page.slug,
    description: page.description ?? '',
    groups: page.groups.map(({ name, monitors }, index) => ({
      key: index + 1,
      name,
      monitors: monitors.map(({ monitor_id, label }) => ({ monitorId: monitor_id, label })),
    })),
    theme: page.theme,
    accent_color: page.accent_color ?? '',
    time_zone: page.time_zone,
    show_response_times: page.show_response_times,
    privacy: `${page.privacy}`,
    password: '',
    custom_domain: page.custom_domain ?? '',
    logo: undefined,
  }
}

const toNullable = (text: string) => (text.trim() === '' ? null : text.trim())

/** Without a label, the server uses the name of the monitor. */
const toMonitorInput = ({ monitorId, label }: { monitorId: number; label: string }) => ({
  monitor_id: monitorId,
  ...(label.trim() !== '' && { label: label.trim() }),
})

export function toStatusPageInput(values: StatusPageValues): CreateStatusPage {
  const { slug, theme, time_zone, show_response_times, privacy, password } = values
  return {
    slug,
    title: values.title.trim(),
    description: toNullable(values.description),
    groups: values.groups.map(({ name, monitors }) => ({ name: name.trim(), monitors: monitors.map(toMonitorInput) })),
    theme,
    accent_color: toNullable(values.accent_color),
    time_zone,
    show_response_times,
    privacy: Number(privacy) as 0 | 1 | 2,
    ...(privacy === '2' && password !== '' && { password }),
    custom_domain: toNullable(values.custom_domain),
  }
}

/**
 * Returns only the changed fields, so that saving doesn't overwrite changes that another tab or API client has made.
 */
export function diffStatusPage(before: CreateStatusPage, after: CreateStatusPage): UpdateStatusPage {
  const isSame = (name: keyof CreateStatusPage) => JSON.stringify(before[name]) === JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name as keyof CreateStatusPage)))
}

/** Returns the values after saving: the saved ones, except for the fields that the user has changed since `sent`. */
export function mergeSavedValues(
  current: StatusPageValues,
  sent: StatusPageValues,
  saved: StatusPageValues,
): StatusPageValues {
  const edits = Object.entries(current).filter(([name, value]) => value !== sent[name as keyof StatusPageValues])
  return { ...saved, ...Object.fromEntries(edits) }
}

/** Errors that the editor shows while the user is typing. */
export function findLiveErrors({ slug, accent_color }: StatusPageValues): Record<string, string[]> {
  const slugError = findSlugError(slug)
  const isColor = accent_color === '' || /^#[0-9a-f]{6}$/i.test(accent_color)
  return {
    ...(slugError && { slug: [slugError] }),
    ...(!isColor && { accent_color: ['Enter a color such as #0a7d4f.'] }),
  }
}

/**
 * Returns what the preview shows. Fields that can't be saved yet have a substitute, so that half-typed text doesn't
 * hide the whole page.
 */
export function toPreviewDraft(id: number | undefined, values: StatusPageValues): string {
  const input = toStatusPageInput(values)
  const errors = findLiveErrors(values)
  return JSON.stringify({
    ...(id !== undefined && { id }),
    slug: isValidSlug(input.slug) ? input.slug : 'preview',
    title: input.title || 'Untitled',
    description: input.description,
    groups: input.groups?.map((group) => ({ ...group, name: group.name || 'Unnamed group' })),
    theme: input.theme,
    accent_color: errors['accent_color'] === undefined ? input.accent_color : null,
    time_zone: input.time_zone,
    show_response_times: input.show_response_times,
  })
}
