/** Assigns a channel to many monitors. If one of them does not exist, nothing changes. */
import type { Clock } from '../lib/clock.ts'
import { FieldParser } from '../lib/field-parser.ts'
import { formatCount } from '../lib/format.ts'
import { invalid, notFound } from '../lib/problem.ts'
import type { Queries } from '../storage/transaction.ts'
import { parseTags, toTagKeys } from '../tags/tags.ts'
import { lockChannel, lockExistingMonitors, lockMatchingMonitors, upsertAssignments } from './store.ts'

/** One transaction locks and changes all monitors, so their number is limited. */
const MAX_MATCHING_MONITORS = 10_000

/** Which monitors get the channel. A request has exactly one of these fields. */
export interface MonitorChoice {
  monitor_ids?: readonly number[]
  tags?: readonly string[]
  all_monitors?: boolean
}

interface AssignMonitorsInput {
  teamId: number
  channelId: number
  choice: MonitorChoice
  enabled: boolean
  /** If undefined, existing assignments keep their delay, and new ones have none. */
  delayMinutes: number | undefined
}

/** Call this in a transaction. */
export async function assignMonitors(
  q: Queries,
  { choice, ...assignment }: AssignMonitorsInput,
  clock: Clock,
): Promise<{ assigned: number; updated: number }> {
  const selectors = [choice.monitor_ids, choice.tags, choice.all_monitors || undefined]
  if (selectors.filter((selector) => selector !== undefined).length !== 1) {
    throw invalid({ monitor_ids: ['Send exactly one of `monitor_ids`, `tags` and `all_monitors`: true.'] })
  }
  // Lock the channel first, like `createMonitor`. A different order could cause a deadlock.
  if (!(await lockChannel(q, assignment.channelId))) throw notFound()
  const monitorIds = await (choice.monitor_ids === undefined
    ? lockChosenMonitors(q, choice)
    : lockListedMonitors(q, choice.monitor_ids))
  const assignedCount = await upsertAssignments(q, { ...assignment, monitorIds, now: clock.now() })
  return { assigned: assignedCount, updated: monitorIds.length - assignedCount }
}

async function lockListedMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const uniqueIds = [...new Set(ids)]
  const existingIds = new Set(await lockExistingMonitors(q, uniqueIds))
  const unknownIds = uniqueIds.filter((id) => !existingIds.has(id))
  if (unknownIds.length > 0) {
    throw invalid({ monitor_ids: [`\`monitor_ids\` names monitors that aren't yours: ${unknownIds.join(', ')}.`] })
  }
  return uniqueIds
}

async function lockChosenMonitors(q: Queries, { tags }: MonitorChoice): Promise<number[]> {
  const parser = new FieldParser()
  const parsedTags = parser.parse('tags', tags, parseTags)
  parser.throwIfInvalid()
  const tagKeys = parsedTags === undefined ? null : toTagKeys(parsedTags)
  const ids = await lockMatchingMonitors(q, tagKeys, MAX_MATCHING_MONITORS + 1)
  if (ids.length <= MAX_MATCHING_MONITORS) return ids
  const limit = formatCount(MAX_MATCHING_MONITORS)
  const field = tags === undefined ? 'all_monitors' : 'tags'
  throw invalid({
    [field]: [
      `\`${field}\` matches more than ${limit} monitors. Assign them with \`monitor_ids\` in several requests.`,
    ],
  })
}
