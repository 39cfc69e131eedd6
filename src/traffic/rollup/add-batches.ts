/** Batches of the inbox become visits, events and counts, all in the transaction that takes them out of it. */
import type { Queries } from '../../storage/client.ts'
import { type Batch, deleteBatches, keepRests } from '../inbox/store.ts'
import type { TrafficEvent } from '../model/event.ts'
import { Numbering } from './numbering.ts'
import { groupByVisitor, workOut } from './slice.ts'
import { addCounts, addTotals, findExisting, insertEvents, numberValues } from './store.ts'
import { drawVisitIds, loadVisits, writeVisits } from './visits-store.ts'

export interface Added {
  batches: number
  events: number
}

/** Needs the lock. With a website, only its events are taken out; those of others stay in their batches. */
export async function addBatches(q: Queries, batches: readonly Batch[], websiteId?: number): Promise<Added> {
  if (batches.length === 0) return { batches: 0, events: 0 }
  const read = batches.map(({ id, events }) => ({ id, events: readBatch(events) }))
  const isMeant = (event: TrafficEvent) => websiteId === undefined || event.websiteId === websiteId
  const meant = read.flatMap(({ events }) => events.filter(isMeant))
  const existing = await findExisting(q, [...new Set(meant.map((event) => event.websiteId))])
  await addEvents(
    q,
    meant.filter((event) => existing.has(event.websiteId)),
  )
  const rests = read.map(({ id, events }) => ({ id, events: events.filter((event) => !isMeant(event)) }))
  const done = rests.filter(({ events }) => events.length === 0).map(({ id }) => id)
  await q.flight(deleteBatches(done), ...keepRests(rests.filter(({ events }) => events.length > 0)))
  return { batches: batches.length, events: meant.length }
}

export function readBatch(text: string): TrafficEvent[] {
  const events = JSON.parse(text)
  if (!Array.isArray(events)) throw new TypeError('The batch is no list of events.')
  return events
}

async function addEvents(q: Queries, sent: readonly TrafficEvent[]): Promise<void> {
  if (sent.length === 0) return
  const numbering = new Numbering()
  for (const event of sent) numbering.add(event)
  const values = numbering.list()
  const ids = await numberValues(q, values)
  for (const [index, value] of values.entries()) numbering.note(value, ids[index] as number)

  const groups = groupByVisitor(sent)
  await loadVisits(q, groups)
  const { events, days } = workOut(groups, numbering)
  const fresh = groups.flatMap(({ visits }) => visits.filter(({ id }) => id === 0))
  const drawn = fresh.length === 0 ? [] : await drawVisitIds(q, fresh.length)
  for (const [index, visit] of fresh.entries()) visit.id = drawn[index] as number
  await q.flight(insertEvents(events), writeVisits(groups), addTotals(days), addCounts(days))
}
