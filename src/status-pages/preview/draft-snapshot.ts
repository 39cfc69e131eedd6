/** Builds the snapshot of a page that is being edited, for its preview. */
import { invalid } from '../../lib/problem.ts'
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import { buildSnapshot } from '../load/build-snapshot.ts'
import {
  buildNamesQuery,
  buildResponsesQuery,
  buildSettingsQuery,
  type PageGroup,
  type StoredPageSettings,
  toResponses,
} from '../load/page-store.ts'
import { buildContentQueries, toPageContent } from '../load/store.ts'
import { toSnapshotTimes } from '../load/times.ts'
import type { SnapshotOptions } from '../load/versioned-snapshot.ts'
import type { ParsedGroup, StatusPageSettings } from '../settings.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'

export interface PageDraft {
  teamId: number
  /** The page that is being edited, for its logo and posts. null: a new page. */
  pageId: number | null
  settings: StatusPageSettings
  groups: readonly ParsedGroup[]
}

interface DraftSnapshot {
  snapshot: StatusPageSnapshot
  /** The slug by which the page's logo can be loaded; undefined if the page is new. */
  storedSlug: string | undefined
}

/** Throws if the caller doesn't have the page or one of the monitors. */
export async function loadDraftSnapshot(
  q: Queries,
  { teamId, pageId, settings, groups }: PageDraft,
  { now, canSubscribe }: SnapshotOptions,
): Promise<DraftSnapshot> {
  const monitorIds = groups.flatMap(({ monitors }) => monitors.map(({ monitorId }) => monitorId))
  const source = { teamId, pageId, monitorIds }
  const times = toSnapshotTimes(now)
  const [pages, names, responses, ...content] = await queryWithFreshPlan(
    q,
    buildSettingsQuery(source),
    buildNamesQuery(teamId, monitorIds),
    buildResponsesQuery(source, times, settings.showResponseTimes),
    ...buildContentQueries(source, times),
  )
  const storedSettings = pages?.rows[0] as StoredPageSettings | undefined
  if (pageId !== null && storedSettings === undefined)
    throw invalid({ id: ['`id` is not the id of one of your status pages.'] })
  const namesById = new Map(names?.rows.map(({ id, name }) => [id as number, name as string]))
  const { privacy, ...page } = settings
  const snapshot = buildSnapshot(
    {
      access: { teamId, pageId: pageId ?? 0, privacy, passwordHash: null },
      page: { ...page, logoHash: storedSettings?.logo_hash ?? null, canSubscribe },
      groups: toPageGroups(groups, namesById),
      responses: toResponses(responses),
      content: toPageContent(content),
    },
    now,
  )
  return { snapshot, storedSlug: storedSettings?.slug }
}

function toPageGroups(groups: readonly ParsedGroup[], namesById: ReadonlyMap<number, string>): PageGroup[] {
  const unknownIds = groups.flatMap(({ monitors }) =>
    monitors.map(({ monitorId }) => monitorId).filter((id) => !namesById.has(id)),
  )
  if (unknownIds.length > 0) {
    throw invalid({ groups: [`\`groups\` contains ids that are not among your monitors: ${unknownIds.join(', ')}.`] })
  }
  return groups.map(({ name, monitors }) => ({
    name,
    monitors: monitors.map(({ monitorId, label }) => ({
      id: monitorId,
      label: label ?? (namesById.get(monitorId) as string),
    })),
  }))
}
