/** Batches of the inbox become visits, events and counts, all in the transaction that takes them out of it. */
import type { Queries } from '../../storage/client.ts'
import { deleteBatches, type InboxBatch, replaceBatches } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import { addDayCounts, addDayTotals, assignValueIds, findExistingWebsites, insertEvents } from './store.ts'
import { ValueIds } from './value-ids.ts'
import { assignVisits, groupByVisitor } from './visitor-days.ts'
import { loadVisits, reserveVisitIds, upsertVisits } from './visits-store.ts'

export interface RolledUpCounts {
  batches: number
  events: number
}

/** Needs the lock. With a website, only its events are taken out; those of others stay in their batches. */
export async function rollUpBatches(
  q: Queries,
  batches: readonly InboxBatch[],
  websiteId?: number,
): Promise<RolledUpCounts> {
  if (batches.length === 0) return { batches: 0, events: 0 }
  const read = batches.map(({ id, events }) => ({ id, events: parseBatch(events) }))
  const isMeant = (event: TrafficEvent) => websiteId === undefined || event.websiteId === websiteId
  const meant = read.flatMap(({ events }) => events.filter(isMeant))
  const existing = await findExistingWebsites(q, [...new Set(meant.map((event) => event.websiteId))])
  await addEvents(
    q,
    meant.filter((event) => existing.has(event.websiteId)),
  )
  const rests = read.map(({ id, events }) => ({ id, events: events.filter((event) => !isMeant(event)) }))
  const done = rests.filter(({ events }) => events.length === 0).map(({ id }) => id)
  await q.batch(deleteBatches(done), ...replaceBatches(rests.filter(({ events }) => events.length > 0)))
  return { batches: batches.length, events: meant.length }
}

export function parseBatch(text: string): TrafficEvent[] {
  const events = JSON.parse(text)
  if (!Array.isArray(events)) throw new TypeError('The batch is no list of events.')
  return events
}

async function addEvents(q: Queries, sent: readonly TrafficEvent[]): Promise<void> {
  if (sent.length === 0) return
  const numbering = new ValueIds()
  for (const event of sent) numbering.add(event)
  const values = numbering.list()
  const ids = await assignValueIds(q, values)
  for (const [index, value] of values.entries()) numbering.note(value, ids[index] as number)

  const groups = groupByVisitor(sent)
  await loadVisits(q, groups)
  const { events, days } = assignVisits(groups, numbering)
  const fresh = groups.flatMap(({ visits }) => visits.filter(({ id }) => id === 0))
  const drawn = fresh.length === 0 ? [] : await reserveVisitIds(q, fresh.length)
  for (const [index, visit] of fresh.entries()) visit.id = drawn[index] as number
  await q.batch(insertEvents(events), upsertVisits(groups), addDayTotals(days), addDayCounts(days))
}
