/** A file of Belfry's own format as events, in pieces. */
import type { TrafficEvent } from '../../model/event.ts'
import { openCsvTable } from '../files/csv-table.ts'
import type { ImportFile, OnBytes } from '../files/input-files.ts'
import { EventRowReader } from './event-reader.ts'
import { VisitorMasks } from './visitor-masks.ts'

export interface ImportSite {
  id: number
  domain: string
  timeZone: string
}

export async function* readEventFile(
  input: ImportFile,
  { id: websiteId, domain, timeZone }: ImportSite,
  now: number,
  onBytes: OnBytes = () => {},
): AsyncGenerator<TrafficEvent[]> {
  const { header, records } = await openCsvTable(input, onBytes)
  const reader = new EventRowReader({
    name: input.name,
    header,
    websiteId,
    domain,
    timeZone,
    now,
    masks: new VisitorMasks(),
  })
  for await (const piece of records) if (piece.length > 0) yield piece.map((record) => reader.read(record))
}
