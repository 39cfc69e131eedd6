/** Checks, stores and removes the logo of a status page. */
import { createHash } from 'node:crypto'
import { ConcurrencyLimiter } from '../../lib/concurrency-limiter.ts'
import { formatCount } from '../../lib/format.ts'
import { formatFieldError, invalid, notFound, Problem } from '../../lib/problem.ts'
import { MAX_LOGO_BYTES } from '../../shared/status-pages.ts'
import type { Queries } from '../../storage/transaction.ts'
import { getStatusPage } from '../status-pages.ts'
import { lockStatusPage, type StatusPageRow, touchStatusPage } from '../store.ts'
import { deleteLogoRow, findLogo, type LogoType, type StoredLogo, saveLogo } from './store.ts'

/** Checking a logo takes up to 5 ms of each turn of the event loop, and other requests wait for all logos of a turn. */
const MAX_CONCURRENT_LOGOS = 2
const logoLimiter = new ConcurrencyLimiter(MAX_CONCURRENT_LOGOS)

/**
 * Returns the logo as it is stored. Call this before opening a transaction, because checking an SVG image can take
 * about 100 ms.
 */
export async function prepareLogo(teamId: number, mediaType: LogoType, file: Buffer): Promise<StoredLogo> {
  if (file.length > MAX_LOGO_BYTES) {
    throw new Problem('too_large', `The logo has more than ${formatCount(MAX_LOGO_BYTES)} bytes.`)
  }
  if (file.length === 0) throw invalid({ logo: [formatFieldError('logo', 'must not be empty')] })
  const result = await logoLimiter.run(teamId, () => cleanLogo(mediaType, file))
  if ('errors' in result) throw invalid({ logo: result.errors.map((rule) => formatFieldError('logo', rule)) })
  const content = result.value
  return { mediaType, content, contentHash: createHash('sha256').update(content).digest('hex') }
}

/** Loads the checks on first use, because the XML parser takes memory and logos are rarely uploaded. */
async function cleanLogo(mediaType: LogoType, file: Buffer) {
  if (mediaType === 'image/png') return (await import('./png.ts')).cleanPng(file)
  return (await import('./svg.ts')).cleanSvg(file)
}

interface LogoChange {
  teamId: number
  pageId: number
  now: Date
}

/** Call this in a transaction. */
export async function setLogo(
  q: Queries,
  { teamId, pageId, now }: LogoChange,
  logo: StoredLogo,
): Promise<StatusPageRow> {
  await lockStatusPage(q, pageId)
  await getStatusPage(q, pageId)
  await saveLogo(q, { teamId, pageId }, logo)
  await touchStatusPage(q, teamId, pageId, now)
  return getStatusPage(q, pageId)
}

/** Call this in a transaction. */
export async function removeLogo(q: Queries, { teamId, pageId, now }: LogoChange): Promise<void> {
  await lockStatusPage(q, pageId)
  if (!(await deleteLogoRow(q, { teamId, pageId }))) throw notFound()
  await touchStatusPage(q, teamId, pageId, now)
}

export async function getLogo(q: Queries, key: { teamId: number; pageId: number }): Promise<StoredLogo> {
  const logo = await findLogo(q, key)
  if (logo === undefined) throw notFound()
  return logo
}
