import { resourceId } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import type { MonitorRecord } from '../monitors/schema.ts'

export const LiveQuery = Type.Object({
  monitor: Type.Optional({
    ...resourceId,
    description: 'Also send an event after every check of this monitor',
    examples: [3],
  }),
  incident: Type.Optional({
    ...resourceId,
    description: 'Also send an event when this incident changes',
    examples: [21],
  }),
  website: Type.Optional({
    ...resourceId,
    description: 'Also send an event when this website has new traffic',
    examples: [12],
  }),
})

/** An item of the `monitors` event, and the data of the `check` event. */
export type LiveMonitor = Pick<
  MonitorRecord,
  'id' | 'status' | 'status_changed_at' | 'down_since' | 'last_checked_at' | 'last_response_ms' | 'last_error'
>

/** The data of the `visitors` event: current visitors by website id. */
export type LiveVisitors = Record<number, number>

/** The data of the `incident` event. */
export interface LiveIncident {
  incident_id: number
}

/** The data of the `traffic` event. */
export interface LiveTraffic {
  website_id: number
}
