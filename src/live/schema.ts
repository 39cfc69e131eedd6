import { Type } from 'typebox'
import { resourceId } from '../lib/schemas.ts'
import type { MonitorRecord } from '../monitors/schema.ts'

export const LiveQuery = Type.Object({
  monitor: Type.Optional({ ...resourceId, description: 'Also tells of every check of this one', examples: [3] }),
  website: Type.Optional({ ...resourceId, description: 'Also tells when something of this one was counted', examples: [12] }),
})

/** Of `monitors`, which tells of several, and of `check`, which tells of one. */
export type LiveMonitor = Pick<
  MonitorRecord,
  'id' | 'status' | 'status_changed_at' | 'last_checked_at' | 'last_response_ms' | 'last_error'
>

/** Of `visitors`: who is there now, by website. */
export type LiveVisitors = Record<number, number>

/** Of `traffic`. */
export interface LiveTraffic {
  website_id: number
}
