/** Reads what happened on a page in one month. */
import { queryWithFreshPlan } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import type { SnapshotIncident, SnapshotMaintenance, SnapshotPost, StatusPageSnapshot } from '../snapshot.ts'
import { joinIncidentsAndPosts, toMaintenances } from './build-snapshot.ts'
import { buildFirstTimeQuery, buildMonthQueries, type HistorySource, toHistoryContent } from './history-store.ts'
import { MAX_HISTORY_ENTRIES, MAX_SHOWN_UPDATES } from './limits.ts'
import { monthAt, toMonthRange } from './months.ts'

/** Visitors can see all of it. The newest entries come first. */
export interface StatusHistoryMonth {
  /** For example 2026-11. */
  month: string
  incidents: SnapshotIncident[]
  /** Maintenances that have begun. */
  maintenances: SnapshotMaintenance[]
  posts: SnapshotPost[]
  /** Whether the month has more incidents, maintenances or posts than these. */
  isIncomplete: boolean
}

function toSource({ access, groups }: StatusPageSnapshot): HistorySource {
  const { teamId, pageId } = access
  return { teamId, pageId, monitorIds: groups.flatMap(({ monitors }) => monitors.map(({ id }) => id)) }
}

export async function loadHistoryMonth(
  q: Queries,
  snapshot: StatusPageSnapshot,
  month: string,
  now: Date,
): Promise<StatusHistoryMonth> {
  const { from, until } = toMonthRange(month, snapshot.page.timeZone)
  const queries = buildMonthQueries(toSource(snapshot), {
    from,
    until,
    now,
    limit: MAX_HISTORY_ENTRIES + 1,
    maxUpdates: MAX_SHOWN_UPDATES,
  })
  const content = toHistoryContent(await queryWithFreshPlan(q, ...queries))
  const monitors = snapshot.groups.flatMap((group) => group.monitors)
  const isTooLong = (entries: readonly unknown[]) => entries.length > MAX_HISTORY_ENTRIES
  const limitEntries = <T>(entries: readonly T[]) => entries.slice(0, MAX_HISTORY_ENTRIES)
  const shownContent = {
    incidents: limitEntries(content.incidents),
    posts: limitEntries(content.posts),
    updates: content.updates,
  }
  return {
    month,
    ...joinIncidentsAndPosts(shownContent, monitors),
    maintenances: limitEntries(toMaintenances(content, monitors, now.getTime())),
    isIncomplete: [content.incidents, content.windows, content.posts].some(isTooLong),
  }
}

/** Returns the first month of the page's history. It is the current month if there is no history yet. */
export async function findFirstHistoryMonth(q: Queries, snapshot: StatusPageSnapshot): Promise<string> {
  const [result] = await queryWithFreshPlan(q, buildFirstTimeQuery(toSource(snapshot)))
  const firstAt = result?.rows[0]?.['firstAt'] as Date | null | undefined
  return monthAt(snapshot.page.timeZone, firstAt?.getTime() ?? snapshot.readAt)
}
