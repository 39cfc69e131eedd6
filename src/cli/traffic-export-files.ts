/** `traffic export`: writes the files of each format. */
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { formatCount } from '../lib/format.ts'
import { Problem } from '../lib/problem.ts'
import type { TransactionQueries } from '../storage/transaction.ts'
import type { TrackedWebsite } from '../traffic/collect/store.ts'
import { exportEvents } from '../traffic/import-export/belfry/export-events.ts'
import {
  formatPlausibleFileName,
  type PlausibleTable,
  plausibleTables,
} from '../traffic/import-export/plausible/tables.ts'
import { writePlausibleTable } from '../traffic/import-export/plausible/write-table.ts'
import { preferBulkReads } from '../traffic/import-export/store.ts'
import { readDayTotals, type WebsiteDays } from '../traffic/stats/store.ts'
import type { Invocation } from './common/command.ts'
import { Progress } from './common/progress.ts'
import { OpenTargetFile } from './common/target-file.ts'
import { OpenTargetFolder } from './common/target-folder.ts'

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

interface EventTarget {
  format: 'belfry'
  /** The path as the user typed it. `-` is the standard output. */
  path: string
  file: OpenTargetFile | undefined
}

interface PlausibleTarget {
  format: 'plausible'
  folder: OpenTargetFolder<PlausibleTable>
}

export type ExportTarget = (EventTarget | PlausibleTarget) & { close(): Promise<void> }

const tables = Object.keys(plausibleTables) as PlausibleTable[]

export async function openExport(
  { format, path, force }: { format: 'belfry' | 'plausible'; path: string; force: boolean },
  losesRights: boolean,
): Promise<ExportTarget> {
  if (format === 'plausible') {
    const folder = await OpenTargetFolder.open(resolve(path), tables, losesRights)
    return { format, folder, close: () => folder.close() }
  }
  const file = path === '-' ? undefined : await OpenTargetFile.open({ path: resolve(path), force }, losesRights)
  return { format, path, file, close: async () => file?.close() }
}

export async function exportEventFile(
  q: TransactionQueries,
  websiteDays: WebsiteDays,
  { path, file }: EventTarget,
  { note }: Invocation,
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
  if (file === undefined) await writeToStdout(chunks)
  else {
    const write = (target: Writable) =>
      path.endsWith('.gz') ? pipeline(chunks, createGzip(GZIP_OPTIONS), target) : pipeline(chunks, target)
    await file.write(write)
  }
  progress.end(path === '-' ? 'Exported' : `Exported ${resolve(path)}`)
  if (exportedCount < expectedCount) {
    note(
      `${formatCount(expectedCount - exportedCount)} page views and events are stored only as totals and were not exported. Use --format plausible to export totals.`,
    )
  }
}

interface PlausibleExport {
  site: TrackedWebsite
  websiteDays: WebsiteDays
  folder: OpenTargetFolder<PlausibleTable>
}

export async function exportPlausibleTables(
  q: TransactionQueries,
  { site, websiteDays, folder }: PlausibleExport,
  { note }: Invocation,
): Promise<void> {
  const dayTotals = await readDayTotals(q, websiteDays)
  const [firstDay, lastDay] = [dayTotals[0]?.day, dayTotals.at(-1)?.day]
  if (firstDay === undefined || lastDay === undefined) {
    throw new Problem('not_found', `${site.domain} has no traffic on these days. Nothing was exported.`)
  }
  await preferBulkReads(q)
  // Each table takes one step for its header and one for each day.
  const stepCount = tables.length * (dayTotals.length + 1)
  let doneStepCount = 0
  const progress = new Progress(note, 'Exporting', undefined, { computeShare: () => doneStepCount / stepCount })
  for (const [table, file] of folder.files) {
    const chunks = async function* () {
      for await (const { text, rows } of writePlausibleTable(q, site, table, dayTotals)) {
        const bytes = Buffer.from(text)
        doneStepCount++
        progress.add(rows, bytes.length)
        yield bytes
      }
    }
    await pipeline(chunks(), createWriteStream('', { fd: file.fd, autoClose: false }))
  }
  await folder.finish((table) => formatPlausibleFileName(table, firstDay, lastDay))
  progress.end(`Exported ${folder.path}`)
}
