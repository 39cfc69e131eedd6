/**
 * Decides which outages a post on a status page is about. A post names monitors, not outages, so their times decide: the post and the
 * outage overlap, or the post was published soon after the outage ended.
 */
import { DAY_MS, HOUR_MS } from './time.ts'

/** Times are in epoch milliseconds. */
export interface PostPeriod {
  monitorIds: readonly number[]
  createdAt: number
  /** null: the post is open. */
  resolvedAt: number | null
}

export interface OutagePeriod {
  monitorId: number
  startedAt: number
  /** null: the monitor is down. */
  resolvedAt: number | null
}

/** While somebody writes a post, the monitor may recover. */
const MAX_DELAY_MS = HOUR_MS
/** A post that was published as resolved looks back, for example at an outage of last night. */
const MAX_RETROSPECTIVE_DELAY_MS = DAY_MS
/** No post is about an outage that ended longer before it. */
export const MAX_POST_DELAY_MS = Math.max(MAX_DELAY_MS, MAX_RETROSPECTIVE_DELAY_MS)

export function isPostAboutOutage(post: PostPeriod, outage: OutagePeriod): boolean {
  if (!post.monitorIds.includes(outage.monitorId)) return false
  const maxDelayMs = post.resolvedAt === post.createdAt ? MAX_RETROSPECTIVE_DELAY_MS : MAX_DELAY_MS
  const outageEnd = outage.resolvedAt ?? Number.POSITIVE_INFINITY
  const postEnd = post.resolvedAt ?? Number.POSITIVE_INFINITY
  return outageEnd >= post.createdAt - maxDelayMs && outage.startedAt <= postEnd
}
