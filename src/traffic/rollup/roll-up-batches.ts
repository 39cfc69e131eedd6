/** Turns batches of the inbox into visits, events and counts, in the same transaction that deletes these batches. */
import type { Queries } from '../../storage/client.ts'
import { deleteBatches, type InboxBatch, replaceBatches } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import { addDayCounts, addDayTotals, assignValueIds, findExistingWebsiteIds, insertEvents } from './store.ts'
import { ValueIds } from './value-ids.ts'
import { assignVisits, groupByVisitorDay } from './visitor-days.ts'
import { loadVisits, reserveVisitIds, upsertVisits } from './visits-store.ts'

export interface RolledUpCounts {
  batches: number
  events: number
}

/** The caller holds the traffic lock. With `websiteId`, events of other websites stay in their batches. */
export async function rollUpBatches(
  q: Queries,
  batches: readonly InboxBatch[],
  websiteId?: number,
): Promise<RolledUpCounts> {
  if (batches.length === 0) return { batches: 0, events: 0 }
  const parsedBatches = batches.map(({ id, events }) => ({ id, events: parseBatch(events) }))
  const isSelected = (event: TrafficEvent) => websiteId === undefined || event.websiteId === websiteId
  const selectedEvents = parsedBatches.flatMap(({ events }) => events.filter(isSelected))
  const existingWebsiteIds = await findExistingWebsiteIds(q, [
    ...new Set(selectedEvents.map((event) => event.websiteId)),
  ])
  await rollUpEvents(
    q,
    selectedEvents.filter((event) => existingWebsiteIds.has(event.websiteId)),
  )
  const remainingBatches = parsedBatches.map(({ id, events }) => ({
    id,
    events: events.filter((event) => !isSelected(event)),
  }))
  const emptiedBatchIds = remainingBatches.filter(({ events }) => events.length === 0).map(({ id }) => id)
  await q.batch(
    deleteBatches(emptiedBatchIds),
    ...replaceBatches(remainingBatches.filter(({ events }) => events.length > 0)),
  )
  return { batches: batches.length, events: selectedEvents.length }
}

export function parseBatch(text: string): TrafficEvent[] {
  const events = JSON.parse(text)
  if (!Array.isArray(events)) throw new TypeError('The batch is not a list of events.')
  return events
}

async function rollUpEvents(q: Queries, events: readonly TrafficEvent[]): Promise<void> {
  if (events.length === 0) return
  const valueIds = new ValueIds()
  for (const event of events) valueIds.collect(event)
  const values = valueIds.list()
  const ids = await assignValueIds(q, values)
  for (const [index, value] of values.entries()) valueIds.setId(value, ids[index] as number)

  const groups = groupByVisitorDay(events)
  await loadVisits(q, groups)
  const rolledUpEvents = assignVisits(groups, valueIds)
  const newVisits = groups.flatMap(({ visits }) => visits.filter(({ id }) => id === 0))
  const newVisitIds = newVisits.length === 0 ? [] : await reserveVisitIds(q, newVisits.length)
  for (const [index, visit] of newVisits.entries()) visit.id = newVisitIds[index] as number
  await q.batch(
    insertEvents(rolledUpEvents.events),
    upsertVisits(groups),
    addDayTotals(rolledUpEvents.tallies),
    addDayCounts(rolledUpEvents.tallies),
  )
}
