/** Reads a page with everything that it shows, in one round trip whose number of statements doesn't depend on the page. */

import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { buildSnapshot } from './build-snapshot.ts'
import {
  buildGroupsQuery,
  buildResponsesQuery,
  buildSettingsQuery,
  type PageGroup,
  type StoredPageSettings,
  toResponses,
} from './page-store.ts'
import { buildContentQueries, toPageContent } from './store.ts'
import { toSnapshotTimes } from './times.ts'
import { buildVersionQuery, type PageKey, type StoredPageVersion } from './version-store.ts'
import { type PageVersion, toPageVersion } from './versions.ts'

export interface SnapshotOptions {
  now: Date
  /** Whether visitors can subscribe by email: see `canSubscribe` in `links.ts`. */
  canSubscribe: boolean
}

/**
 * The version is read before everything else, so the snapshot is never older than its version: if something changes in between, the next
 * version differs, and the page is read again.
 */
interface VersionedSnapshot {
  version: PageVersion
  snapshot: StatusPageSnapshot
}

/** Returns undefined if the user has no such page. */
export async function loadVersionedSnapshot(
  q: Queries,
  key: PageKey,
  { now, canSubscribe }: SnapshotOptions,
): Promise<VersionedSnapshot | undefined> {
  const times = toSnapshotTimes(now)
  const source = { ...key, monitorIds: null }
  const [versions, pages, groups, responses, ...content] = await queryWithFreshPlan(
    q,
    buildVersionQuery(key, now),
    buildSettingsQuery(key),
    buildGroupsQuery(key),
    buildResponsesQuery(source, times, null),
    ...buildContentQueries(source, times),
  )
  const version = versions?.rows[0] as StoredPageVersion | undefined
  const settings = pages?.rows[0] as StoredPageSettings | undefined
  if (version === undefined || settings === undefined) return undefined
  const snapshot = buildSnapshot(
    {
      access: { ...key, privacy: settings.privacy, passwordHash: settings.password_hash },
      page: toSnapshotPage(settings, canSubscribe),
      groups: groups?.rows as unknown as PageGroup[],
      responses: toResponses(responses),
      content: toPageContent(content),
    },
    now,
  )
  return { version: toPageVersion(version, now), snapshot }
}

function toSnapshotPage(
  settings: Omit<StoredPageSettings, 'privacy' | 'password_hash'>,
  canSubscribe: boolean,
): StatusPageSnapshot['page'] {
  return {
    slug: settings.slug,
    title: settings.title,
    description: settings.description,
    customDomain: settings.custom_domain,
    theme: settings.theme,
    accentColor: settings.accent_color,
    timeZone: settings.time_zone,
    showResponseTimes: settings.show_response_times,
    logoHash: settings.logo_hash,
    feedId: settings.feed_id,
    feedIdSince: settings.feed_id_since.getTime(),
    canSubscribe,
  }
}
