/** What `traffic export` writes, in either format. */
import { createWriteStream } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { formatCount } from '../lib/format.ts'
import { Problem } from '../lib/problem.ts'
import type { Queries } from '../storage/client.ts'
import type { TrackedWebsite } from '../traffic/collect/website/website-store.ts'
import { exportEvents } from '../traffic/import-export/belfry/export-events.ts'
import { preferBulkReads } from '../traffic/import-export/export-store.ts'
import { type PlausibleTable, plausibleFileName, plausibleTables } from '../traffic/import-export/plausible/tables.ts'
import { writePlausibleTable } from '../traffic/import-export/plausible/write-table.ts'
import { readDayTotals, type WebsiteDays } from '../traffic/stats/counts-store.ts'
import type { Invocation } from './command.ts'
import { Progress } from './progress.ts'
import { writeAtomically } from './target-file.ts'
import { writeFolderAtomically } from './target-folder.ts'

/** As for backups: hardly larger than the default level, and sooner. */
const GZIP = { level: 4, chunkSize: 256 * 1024 }

/** Whoever reads our output may stop early, as `head` does. */
async function toOutput(text: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pipeline(text, process.stdout)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new Problem('conflict', 'Whoever read the export has stopped before its end.')
  }
}

export async function writeEvents(q: Queries, days: WebsiteDays, name: string, invocation: Invocation): Promise<void> {
  const { note, options } = invocation
  const totals = await readDayTotals(q, days)
  const expected = totals.reduce((sum, { views, events }) => sum + views + events, 0)
  let found = 0
  const progress = new Progress(note, 'Exporting', undefined, { unit: 'events', shareOf: () => found / expected })
  const text = exportEvents(q, days, ({ events, counted, bytes }) => {
    found += counted
    progress.add(events, bytes)
  })
  if (name === '-') await toOutput(text)
  else {
    const write = (to: Writable) => (name.endsWith('.gz') ? pipeline(text, createGzip(GZIP), to) : pipeline(text, to))
    await writeAtomically({ path: resolve(name), force: options['force'] === true }, write)
  }
  progress.end(name === '-' ? 'Exported' : `Exported ${resolve(name)}`)
  if (found < expected) {
    note(
      `${formatCount(expected - found)} page views and events are kept as totals only and are not in it; --format plausible has them.`,
    )
  }
}

export async function writeTables(
  q: Queries,
  site: TrackedWebsite,
  days: WebsiteDays,
  name: string,
  { note }: Invocation,
) {
  const totals = await readDayTotals(q, days)
  const [first, last] = [totals[0]?.day, totals.at(-1)?.day]
  if (first === undefined || last === undefined) {
    throw new Problem('not_found', `${site.domain} has no traffic on these days. Nothing was written.`)
  }
  await preferBulkReads(q)
  const names = Object.keys(plausibleTables) as PlausibleTable[]
  // With the header of each.
  const steps = names.length * (totals.length + 1)
  let done = 0
  const progress = new Progress(note, 'Exporting', undefined, { shareOf: () => done / steps })
  await writeFolderAtomically(resolve(name), async (folder) => {
    for (const table of names) {
      const text = async function* () {
        for await (const { text, rows } of writePlausibleTable(q, site, table, totals)) {
          const bytes = Buffer.from(text)
          done++
          progress.add(rows, bytes.length)
          yield bytes
        }
      }
      const file = createWriteStream(join(folder, plausibleFileName(table, first, last)), { mode: 0o600, flush: true })
      await pipeline(text(), file)
    }
  })
  progress.end(`Exported ${resolve(name)}`)
}
