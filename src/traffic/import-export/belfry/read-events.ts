/** A file of Belfry's own format as events, in pieces. */
import type { TrafficEvent } from '../../model/event.ts'
import { openTable } from '../csv-table.ts'
import type { Input, OnBytes } from '../input.ts'
import { Masks } from '../masks.ts'
import { EventReader } from './event-reader.ts'

export interface Destination {
  id: number
  domain: string
  timeZone: string
}

export async function* readEvents(
  input: Input,
  { id: websiteId, domain, timeZone }: Destination,
  now: number,
  onBytes: OnBytes = () => {},
): AsyncGenerator<TrafficEvent[]> {
  const { header, records } = await openTable(input, onBytes)
  const reader = new EventReader({ name: input.name, header, websiteId, domain, timeZone, now, masks: new Masks() })
  for await (const piece of records) if (piece.length > 0) yield piece.map((record) => reader.read(record))
}
