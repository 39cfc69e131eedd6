/** The registry: websites made, changed and removed by their owner. */
import type { Clock } from '../lib/clock.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { notFound } from '../lib/problem.ts'
import { FieldParser, type ParseResult } from '../lib/field-parser.ts'
import { findTimeZone } from '../lib/time-zone.ts'
import type { Queries } from '../storage/client.ts'
import { readDomain } from './domain.ts'
import { readAddresses, readParams } from './exclusions.ts'
import { type CreateWebsite, defaults, type UpdateWebsite } from './schema.ts'
import {
  type Changes,
  deleteWebsite,
  findWebsite,
  insertWebsite,
  type NewWebsite,
  updateWebsite,
  type WebsiteRow,
} from './store.ts'

function readTimeZone(name: string): ParseResult<string> {
  const zone = findTimeZone(name)
  return zone === undefined ? { faults: ['must be a time zone such as Europe/Berlin'] } : { value: zone }
}

/** Hashing takes long, so it happens before any transaction holds a connection. */
export async function prepareWebsite(input: CreateWebsite, defaultTimeZone: string): Promise<NewWebsite> {
  const reader = new FieldParser()
  const domain = reader.parse('domain', input.domain, readDomain)
  const lists = readSettings(reader, input)
  const { privacy, password, email, exclude_bots: excludeBots, favorite } = { ...defaults, ...input }
  if (privacy === 2 && password === undefined) reader.addErrors('password', ['is required when `privacy` is 2'])
  reader.throwIfInvalid()
  return {
    ...(domain as NonNullable<typeof domain>),
    privacy,
    passwordHash: password === undefined ? null : await hashPassword(password),
    email,
    excludeBots,
    excludeParams: lists.excludeParams ?? null,
    excludeIps: lists.excludeIps ?? null,
    favorite,
    timeZone: lists.timeZone ?? defaultTimeZone,
  }
}

export async function prepareChanges(input: UpdateWebsite): Promise<Changes> {
  const reader = new FieldParser()
  const lists = readSettings(reader, input)
  reader.throwIfInvalid()
  return {
    privacy: input.privacy,
    passwordHash: input.password === undefined ? undefined : await hashPassword(input.password),
    email: input.email,
    excludeBots: input.exclude_bots,
    favorite: input.favorite,
    ...lists,
  }
}

function readSettings(reader: FieldParser, input: UpdateWebsite) {
  return {
    excludeParams: reader.parse('exclude_params', input.exclude_params, readParams),
    excludeIps: reader.parse('exclude_ips', input.exclude_ips, readAddresses),
    timeZone: reader.parse('time_zone', input.time_zone, readTimeZone),
  }
}

/** Needs a transaction. */
export function createWebsite(q: Queries, userId: number, website: NewWebsite, clock: Clock): Promise<WebsiteRow> {
  return insertWebsite(q, userId, website, clock.now())
}

export async function getWebsite(q: Queries, id: number): Promise<WebsiteRow> {
  const website = await findWebsite(q, id)
  if (website === undefined) throw notFound()
  return website
}

/** Whoever sends nothing changes nothing, not even the time of the last change. */
export async function changeWebsite(q: Queries, id: number, changes: Changes, clock: Clock): Promise<WebsiteRow> {
  const isEmpty = Object.values(changes).every((value) => value === undefined)
  if (isEmpty) return getWebsite(q, id)
  const website = await updateWebsite(q, id, changes, clock.now())
  if (website === undefined) throw notFound()
  return website
}

/** With everything that was recorded about it. */
export async function removeWebsite(q: Queries, id: number): Promise<void> {
  if (!(await deleteWebsite(q, id))) throw notFound()
}
