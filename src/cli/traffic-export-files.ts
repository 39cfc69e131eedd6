/** `traffic export`: writes the files of each format. */
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
import {
  formatPlausibleFileName,
  type PlausibleTable,
  plausibleTables,
} from '../traffic/import-export/plausible/tables.ts'
import { writePlausibleTable } from '../traffic/import-export/plausible/write-table.ts'
import { preferBulkReads } from '../traffic/import-export/store.ts'
import { readDayTotals, type WebsiteDays } from '../traffic/stats/counts-store.ts'
import type { Invocation } from './command.ts'
import { Progress } from './progress.ts'
import { writeAtomically } from './target-file.ts'
import { writeFolderAtomically } from './target-folder.ts'

/** The same level as for backups: files are hardly larger than with the default level, and are written faster. */
const GZIP_OPTIONS = { level: 4, chunkSize: 256 * 1024 }

/** Explains the EPIPE error that occurs if the program that reads our output exits early, as `head` does. */
async function writeToStdout(chunks: AsyncIterable<Buffer>): Promise<void> {
  try {
    await pipeline(chunks, process.stdout)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
    throw new Problem('conflict', 'The program reading the export stopped before the end.')
  }
}

export async function exportEventFile(
  q: Queries,
  websiteDays: WebsiteDays,
  path: string,
  { note, options }: Invocation,
): Promise<void> {
  const dayTotals = await readDayTotals(q, websiteDays)
  const expectedCount = dayTotals.reduce((sum, { views, events }) => sum + views + events, 0)
  let exportedCount = 0
  const progress = new Progress(note, 'Exporting', undefined, {
    unit: 'events',
    computeShare: () => exportedCount / expectedCount,
  })
  const chunks = exportEvents(q, websiteDays, ({ eventCount, countedEventCount, bytes }) => {
    exportedCount += countedEventCount
    progress.add(eventCount, bytes)
  })
  if (path === '-') await writeToStdout(chunks)
  else {
    const write = (target: Writable) =>
      path.endsWith('.gz') ? pipeline(chunks, createGzip(GZIP_OPTIONS), target) : pipeline(chunks, target)
    await writeAtomically({ path: resolve(path), force: options['force'] === true }, write)
  }
  progress.end(path === '-' ? 'Exported' : `Exported ${resolve(path)}`)
  if (exportedCount < expectedCount) {
    note(
      `${formatCount(expectedCount - exportedCount)} page views and events are stored only as totals and were not exported. Use --format plausible to export totals.`,
    )
  }
}

export async function exportPlausibleTables(
  q: Queries,
  site: TrackedWebsite,
  websiteDays: WebsiteDays,
  path: string,
  { note }: Invocation,
): Promise<void> {
  const dayTotals = await readDayTotals(q, websiteDays)
  const [firstDay, lastDay] = [dayTotals[0]?.day, dayTotals.at(-1)?.day]
  if (firstDay === undefined || lastDay === undefined) {
    throw new Problem('not_found', `${site.domain} has no traffic on these days. Nothing was exported.`)
  }
  await preferBulkReads(q)
  const tables = Object.keys(plausibleTables) as PlausibleTable[]
  // Each table takes one step for its header and one for each day.
  const stepCount = tables.length * (dayTotals.length + 1)
  let doneStepCount = 0
  const progress = new Progress(note, 'Exporting', undefined, { computeShare: () => doneStepCount / stepCount })
  await writeFolderAtomically(resolve(path), async (folder) => {
    for (const table of tables) {
      const chunks = async function* () {
        for await (const { text, rows } of writePlausibleTable(q, site, table, dayTotals)) {
          const bytes = Buffer.from(text)
          doneStepCount++
          progress.add(rows, bytes.length)
          yield bytes
        }
      }
      const file = createWriteStream(join(folder, formatPlausibleFileName(table, firstDay, lastDay)), {
        mode: 0o600,
        flush: true,
      })
      await pipeline(chunks(), file)
    }
  })
  progress.end(`Exported ${resolve(path)}`)
}
