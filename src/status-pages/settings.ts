/** Parses a request that creates or changes a status page. This module is pure. */
import { FieldParser, type ParseResult, parseDisplayName } from '../lib/field-parser.ts'
import { parseZoneName } from '../lib/time-zone.ts'
import { MAX_PAGE_MONITORS, SLUG_PATTERN, type StatusPageTheme } from '../shared/status-pages.ts'
import { PRIVACY, type Privacy } from '../shared/websites.ts'
import { type CustomDomainRules, parseCustomDomain } from './domains/parse-custom-domain.ts'
import { type CreateStatusPage, type GroupsInput, statusPageDefaults, type UpdateStatusPage } from './schema.ts'

export interface StatusPageSettings {
  slug: string
  title: string
  description: string | null
  privacy: Privacy
  customDomain: string | null
  theme: StatusPageTheme
  accentColor: string | null
  timeZone: string
  showResponseTimes: boolean
}

export interface ParsedGroup {
  name: string
  /** null: the label is the name of the monitor. */
  monitors: { monitorId: number; label: string | null }[]
}

export interface StatusPageContext extends CustomDomainRules {
  /** The time zone of a page whose request names none. */
  defaultTimeZone: string
  /** Whether a password is stored or part of the request. */
  hasPassword: boolean
}

interface ParsedStatusPage {
  settings: StatusPageSettings
  /** undefined: the groups stay as they are. */
  groups: ParsedGroup[] | undefined
}

export const createStatusPageSettings = (input: CreateStatusPage, context: StatusPageContext): ParsedStatusPage =>
  changeStatusPageSettings(undefined, input, context)

/** Fields that were not sent keep their current values. Throws one error that lists the problems of all fields. */
export function changeStatusPageSettings(
  current: StatusPageSettings | undefined,
  input: UpdateStatusPage,
  context: StatusPageContext,
): ParsedStatusPage {
  const parser = new FieldParser()
  // A saved domain stays valid if the rules have changed since, so that clients can send unchanged settings back.
  const parseDomain = (text: string) =>
    text === current?.customDomain ? { value: text } : parseCustomDomain(text, context)
  const slug = parser.parse('slug', input.slug, parseSlug)
  const accentColor = parser.parse('accent_color', input.accent_color ?? undefined, parseColor)
  const title = parser.parse('title', input.title, parseDisplayName)
  const timeZone = parser.parse('time_zone', input.time_zone, parseZoneName)
  const customDomain = parser.parse('custom_domain', input.custom_domain?.trim() || undefined, parseDomain)
  const groups = input.groups && parseGroups(parser, input.groups)
  const settings = {
    slug: slug ?? current?.slug ?? '',
    title: title ?? current?.title ?? '',
    description: input.description === undefined ? (current?.description ?? null) : input.description?.trim() || null,
    privacy: input.privacy ?? current?.privacy ?? statusPageDefaults.privacy,
    customDomain: input.custom_domain === undefined ? (current?.customDomain ?? null) : (customDomain ?? null),
    theme: input.theme ?? current?.theme ?? statusPageDefaults.theme,
    accentColor: input.accent_color === undefined ? (current?.accentColor ?? null) : (accentColor ?? null),
    timeZone: timeZone ?? current?.timeZone ?? context.defaultTimeZone,
    showResponseTimes:
      input.show_response_times ?? current?.showResponseTimes ?? statusPageDefaults.show_response_times,
  }
  if (settings.privacy === PRIVACY.password && !context.hasPassword) {
    parser.addErrors('password', ['is required when `privacy` is 2'])
  }
  parser.throwIfInvalid()
  return { settings, groups }
}

function parseSlug(text: string): ParseResult<string> {
  return new RegExp(SLUG_PATTERN).test(text)
    ? { value: text }
    : { errors: ['must be lowercase letters and digits, with hyphens between them'] }
}

function parseColor(text: string): ParseResult<string> {
  return /^#[0-9a-f]{6}$/i.test(text) ? { value: text.toLowerCase() } : { errors: ['must be a color such as #0a7d4f'] }
}

function parseGroups(parser: FieldParser, input: GroupsInput): ParsedGroup[] {
  const groups = input.map(({ name, monitors }, groupIndex) => ({
    name: parser.parse(`groups.${groupIndex}.name`, name, parseDisplayName) ?? '',
    monitors: monitors.map(({ monitor_id: monitorId, label }, index) => ({
      monitorId,
      label: parser.parse(`groups.${groupIndex}.monitors.${index}.label`, label, parseDisplayName) ?? null,
    })),
  }))
  parser.parse('groups', groups, checkMonitors)
  return groups
}

function checkMonitors(groups: ParsedGroup[]): ParseResult<ParsedGroup[]> {
  const ids = groups.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))
  if (ids.length > MAX_PAGE_MONITORS) {
    return { errors: [`must have at most ${MAX_PAGE_MONITORS} monitors in all groups together`] }
  }
  const repeatedIds = new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
  if (repeatedIds.size === 0) return { value: groups }
  return { errors: [`must not contain the same monitor twice: ${[...repeatedIds].join(', ')}`] }
}
