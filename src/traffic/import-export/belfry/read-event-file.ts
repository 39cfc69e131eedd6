/** Reads a CSV file of Belfry's own format as events. */
import type { TrafficEvent } from '../../model/event.ts'
import { openCsvTable } from '../files/csv-table.ts'
import type { ImportFile, OnBytes } from '../files/input-files.ts'
import { EventRowReader } from './event-row-reader.ts'
import { VisitorMasks } from './visitor-masks.ts'

export interface ImportSite {
  id: number
  domain: string
  timeZone: string
}

export async function* readEventFile(
  file: ImportFile,
  { id: websiteId, domain, timeZone }: ImportSite,
  now: number,
  onBytes: OnBytes = () => {},
): AsyncGenerator<TrafficEvent[]> {
  const { header, recordChunks } = await openCsvTable(file, onBytes)
  // The masks give each visitor of the file a new number, so that no imported visitor is mistaken for a collected one.
  const visitorMasks = new VisitorMasks()
  const reader = new EventRowReader({ fileName: file.name, header, websiteId, domain, timeZone, now, visitorMasks })
  for await (const chunk of recordChunks) if (chunk.length > 0) yield chunk.map((record) => reader.read(record))
}
