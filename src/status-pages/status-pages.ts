/** Creates, changes and deletes status pages. */
import { formatCount } from '../lib/format.ts'
import { hashPassword } from '../lib/password-hash.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Secret } from '../lib/secret.ts'
import { foldCase } from '../lib/text.ts'
import { MAX_STATUS_PAGES } from '../shared/status-pages.ts'
import { lockOwnTeam } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { createProofRecord } from './domains/proof.ts'
import { replaceGroups } from './groups-store.ts'
import type { CreateStatusPage, StatusPageRecord, UpdateStatusPage } from './schema.ts'
import {
  changeStatusPageSettings,
  createStatusPageSettings,
  type StatusPageContext,
  type StatusPageSettings,
} from './settings.ts'
import {
  countStatusPages,
  deleteStatusPageRow,
  findStatusPage,
  insertStatusPage,
  listPageNames,
  lockStatusPage,
  readStatusPages,
  type StatusPageRow,
  touchStatusPage,
  updateStatusPageRow,
} from './store.ts'

export interface StatusPageChangeContext extends Omit<StatusPageContext, 'hasPassword'> {
  /** The hash of the password in the request; undefined if the request has none. */
  passwordHash: string | undefined
  now: Date
}

/** Hashing is slow, so call this before opening a transaction, which would hold a database connection. */
export async function hashPagePassword({ password }: UpdateStatusPage): Promise<string | undefined> {
  return password === undefined ? undefined : hashPassword(password)
}

export async function getStatusPage(q: Queries, id: number): Promise<StatusPageRow> {
  const row = await findStatusPage(q, id)
  if (row === undefined) throw notFound()
  return row
}

/**
 * Lists pages, newest first. `search` is part of the title or slug. Call this in `db.snapshot`, so that the rows and
 * the total agree.
 */
export async function listStatusPages(
  q: Queries,
  { search, limit, offset }: { search: string; limit: number; offset: number },
): Promise<{ rows: StatusPageRow[]; total: number }> {
  const term = foldCase(search.trim())
  const pages = await listPageNames(q)
  const matches = pages.filter(({ slug, title }) => slug.includes(term) || foldCase(title).includes(term))
  const ids = matches.slice(offset, offset + limit).map(({ id }) => id)
  return { rows: await readStatusPages(q, ids), total: matches.length }
}

/** Call this in a transaction that runs as the team `teamId`. */
export async function createStatusPage(
  q: Queries,
  teamId: number,
  input: CreateStatusPage,
  context: StatusPageChangeContext,
): Promise<StatusPageRow> {
  const { passwordHash, now } = context
  const { settings, groups } = createStatusPageSettings(input, { ...context, hasPassword: passwordHash !== undefined })
  await lockOwnTeam(q)
  if ((await countStatusPages(q)) >= MAX_STATUS_PAGES) {
    const limit = formatCount(MAX_STATUS_PAGES)
    throw invalid({ title: [`You already have ${limit} status pages, which is the limit. Delete one first.`] })
  }
  const id = await insertStatusPage(q, teamId, { settings, passwordHash, now })
  if (groups !== undefined) await replaceGroups(q, teamId, id, groups)
  return getStatusPage(q, id)
}

/** Call this in a transaction. An empty input changes nothing, not even `updated_at`. */
export async function updateStatusPage(
  q: Queries,
  teamId: number,
  { id, input }: { id: number; input: UpdateStatusPage },
  context: StatusPageChangeContext,
): Promise<StatusPageRow> {
  await lockStatusPage(q, id)
  const row = await getStatusPage(q, id)
  if (Object.keys(input).length === 0) return row
  const { passwordHash, now } = context
  const hasPassword = row.has_password || passwordHash !== undefined
  const { settings, groups } = changeStatusPageSettings(toSettings(row), input, { ...context, hasPassword })
  await updateStatusPageRow(q, id, { settings, passwordHash, now })
  if (groups !== undefined) await replaceGroups(q, teamId, id, groups)
  await touchStatusPage(q, teamId, id, now)
  return getStatusPage(q, id)
}

/** Deletes the page with its logo, posts and subscribers. */
export async function deleteStatusPage(q: Queries, id: number): Promise<void> {
  if (!(await deleteStatusPageRow(q, id))) throw notFound()
}

const toSettings = (row: StatusPageRow): StatusPageSettings => ({
  slug: row.slug,
  title: row.title,
  description: row.description,
  privacy: row.privacy,
  customDomain: row.custom_domain,
  theme: row.theme,
  accentColor: row.accent_color,
  timeZone: row.time_zone,
  showResponseTimes: row.show_response_times,
})

interface RecordContext {
  /** The public URL of this server. */
  serverUrl: string | undefined
  secret: Secret
  teamId: number
}

export function toStatusPageRecord(
  row: StatusPageRow,
  { serverUrl = '', secret, teamId }: RecordContext,
): StatusPageRecord {
  const { custom_domain: domain, custom_domain_verified_at: verifiedAt } = row
  return {
    ...row,
    url: `${serverUrl}/status/${row.slug}`,
    custom_domain_verified_at: verifiedAt?.toISOString() ?? null,
    custom_domain_record: domain === null ? null : createProofRecord(secret, teamId, domain),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
