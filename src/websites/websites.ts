/** Creates, updates and deletes websites. */
import type { Clock } from '../lib/clock.ts'
import { FieldParser } from '../lib/field-parser.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { notFound } from '../lib/problem.ts'
import { parseZoneName } from '../lib/time-zone.ts'
import { lockTrafficMonitor } from '../monitors/store.ts'
import { PRIVACY } from '../shared/websites.ts'
import type { Queries } from '../storage/transaction.ts'
import { parseTags } from '../tags/tags.ts'
import { parseNewDomain } from './domain.ts'
import { parseExcludedIps, parseIgnoredParams } from './exclusions.ts'
import { parseHolidays, parseQuietDays } from './quiet-days.ts'
import { type CreateWebsite, type UpdateWebsite, type WebsiteRecord, websiteDefaults } from './schema.ts'
import {
  deleteWebsiteRow,
  findWebsite,
  insertWebsite,
  type NewWebsite,
  updateWebsiteRow,
  type WebsiteChanges,
  type WebsiteRow,
} from './store.ts'

/**
 * Validates the input and hashes the password. Hashing is slow, so call this before opening a transaction, which would hold a
 * database connection.
 */
export async function prepareWebsite(input: CreateWebsite, defaultTimeZone: string): Promise<NewWebsite> {
  const parser = new FieldParser()
  const domain = parser.parse('domain', input.domain, parseNewDomain)
  const settings = parseSettings(parser, input)
  const { privacy, password, email, exclude_bots: excludeBots, favorite } = { ...websiteDefaults, ...input }
  if (privacy === PRIVACY.password && password === undefined)
    parser.addErrors('password', ['is required when `privacy` is 2'])
  parser.throwIfInvalid()
  return {
    ...(domain as NonNullable<typeof domain>),
    privacy,
    passwordHash: password === undefined ? null : await hashPassword(password),
    email,
    excludeBots,
    excludeParams: settings.excludeParams ?? null,
    excludeIps: settings.excludeIps ?? null,
    favorite,
    timeZone: settings.timeZone ?? defaultTimeZone,
    tags: settings.tags ?? [],
    quietDays: settings.quietDays ?? [],
    holidays: settings.holidays ?? null,
    isSample: false,
  }
}

export async function prepareWebsiteChanges(input: UpdateWebsite): Promise<WebsiteChanges> {
  const parser = new FieldParser()
  const settings = parseSettings(parser, input)
  parser.throwIfInvalid()
  return {
    privacy: input.privacy,
    passwordHash: input.password === undefined ? undefined : await hashPassword(input.password),
    email: input.email,
    excludeBots: input.exclude_bots,
    favorite: input.favorite,
    watchTraffic: input.watch_traffic,
    watchSpikes: input.watch_spikes,
    ...settings,
  }
}

function parseSettings(parser: FieldParser, input: UpdateWebsite) {
  return {
    excludeParams: parser.parse('exclude_params', input.exclude_params, parseIgnoredParams),
    excludeIps: parser.parse('exclude_ips', input.exclude_ips, parseExcludedIps),
    timeZone: parser.parse('time_zone', input.time_zone, parseZoneName),
    tags: parser.parse('tags', input.tags, parseTags),
    quietDays: parser.parse('quiet_days', input.quiet_days, parseQuietDays),
    holidays: parser.parse('holidays', input.holidays, parseHolidays),
  }
}

/** Call it in a transaction that runs as the team `teamId`. */
export function createWebsite(q: Queries, teamId: number, website: NewWebsite, clock: Clock): Promise<WebsiteRow> {
  return insertWebsite(q, teamId, website, clock.now())
}

export async function getWebsite(q: Queries, id: number): Promise<WebsiteRow> {
  const website = await findWebsite(q, id)
  if (website === undefined) throw notFound()
  return website
}

export function toWebsiteRecord(row: WebsiteRow): WebsiteRecord {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

/** An empty update changes nothing, not even `updated_at`. */
export async function updateWebsite(
  q: Queries,
  id: number,
  changes: WebsiteChanges,
  clock: Clock,
): Promise<WebsiteRow> {
  const isEmpty = Object.values(changes).every((value) => value === undefined)
  if (isEmpty) return getWebsite(q, id)
  const website = await updateWebsiteRow(q, id, changes, clock.now())
  if (website === undefined) throw notFound()
  return website
}

/** Deletes the website with all its traffic. Call it in a transaction. */
export async function deleteWebsite(q: Queries, id: number): Promise<void> {
  // Deleting a monitor locks the monitor first, and then its website. The same order everywhere prevents deadlocks.
  await lockTrafficMonitor(q, id)
  if (!(await deleteWebsiteRow(q, id))) throw notFound()
}
