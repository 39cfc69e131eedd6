/** `traffic import`: recognizes the format of the files and imports them. */
import { systemClock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { Problem } from '../lib/problem.ts'
import { isEventHeader } from '../traffic/import-export/belfry/columns.ts'
import { readEventFile } from '../traffic/import-export/belfry/event-row-reader.ts'
import { readCsvHeader } from '../traffic/import-export/files/csv-table.ts'
import { type ImportFile, openImportFiles } from '../traffic/import-export/files/input-files.ts'
import { ensureWebsiteExists, importEvents } from '../traffic/import-export/import-events.ts'
import { importPlausibleTotals, type PlausibleFile } from '../traffic/import-export/plausible/import-totals.ts'
import { findPlausibleTable } from '../traffic/import-export/plausible/tables.ts'
import { runAllOrNothing } from './common/all-or-nothing.ts'
import type { Invocation } from './common/command.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { Progress } from './common/progress.ts'
import { withDatabase } from './common/with-database.ts'
import { createRollup, getSite, rollUpWithProgress, warnAboutOldEvents } from './traffic-site.ts'

type RecognizedFiles = { format: 'belfry'; file: ImportFile } | { format: 'plausible'; files: PlausibleFile[] }

const invalidFiles = (message: string) => new Problem('validation_failed', `${message} Nothing was imported.`)

/** Recognizes the format by the first line of each file. */
async function recognizeFiles(files: readonly ImportFile[]): Promise<RecognizedFiles> {
  const plausibleFiles: PlausibleFile[] = []
  for (const file of files) {
    const header = await readCsvHeader(file)
    if (isEventHeader(header)) {
      if (files.length === 1) return { format: 'belfry', file }
      throw invalidFiles(
        `${file.name} is an export from Belfry and one of ${files.length} files. Import it separately.`,
      )
    }
    const table = findPlausibleTable(header)
    if (table === undefined) {
      throw invalidFiles(`The first line of ${file.name} doesn't match an export from Belfry or Plausible.`)
    }
    const duplicate = plausibleFiles.find((other) => other.table === table)
    if (duplicate !== undefined) {
      throw invalidFiles(`${duplicate.file.name} and ${file.name} contain the same Plausible table.`)
    }
    plausibleFiles.push({ table, file })
  }
  return { format: 'plausible', files: plausibleFiles }
}

async function importEventFile(invocation: Invocation, domain: string, file: ImportFile): Promise<string> {
  const { config, note, options } = invocation
  const progress = new Progress(note, 'Reading', file.bytes, { unit: 'events' })
  const count = await withDatabase(invocation, async (db) => {
    const site = await getSite(db, domain)
    const rollup = createRollup(db)
    const now = systemClock.now().getTime()
    let tooOldDayCount = 0
    const importedCount = await runAllOrNothing(invocation, (onReadyToCommit) =>
      importEvents(
        { db, rollup, clock: systemClock, config },
        {
          site,
          readEvents: () => readEventFile(file, site, now, (bytes) => progress.add(0, bytes)),
          mayAddToExistingDays: options['add'] === true,
          onEvents: (events) => progress.add(events, 0),
          onTooOldDays: (count) => (tooOldDayCount = count),
          onReadyToCommit,
        },
      ),
    )
    progress.end(`Read ${file.name}`)
    await rollUpWithProgress(rollup, importedCount, invocation)
    await ensureWebsiteExists(db, site)
    warnAboutOldEvents(invocation, tooOldDayCount)
    return importedCount
  })
  return `Imported ${formatCount(count)} ${count === 1 ? 'event' : 'events'} into ${domain}.`
}

async function importTotals(invocation: Invocation, domain: string, files: PlausibleFile[]): Promise<string> {
  const { note, options } = invocation
  const bytes = files.reduce((sum, { file }) => sum + file.bytes, 0)
  const progress = new Progress(note, 'Reading', bytes)
  const importedDayCount = await withDatabase(invocation, async (db) => {
    const site = await getSite(db, domain)
    return runAllOrNothing(invocation, (onReadyToCommit) =>
      importPlausibleTotals(
        { db, rollup: createRollup(db), clock: systemClock },
        {
          site,
          files,
          mayAddToExistingDays: options['add'] === true,
          onRows: (rows) => progress.add(rows, 0),
          onBytes: (bytes) => progress.add(0, bytes),
          onReadyToCommit,
        },
      ),
    )
  })
  progress.end(`Read ${files.length} ${files.length === 1 ? 'file' : 'files'}`)
  return `Imported ${formatCount(importedDayCount)} ${importedDayCount === 1 ? 'day' : 'days'} from Plausible into ${domain}.`
}

/** Returns the message for the user. */
export async function importFiles(invocation: Invocation, domain: string, path: string): Promise<string> {
  const openFiles = await openAndSwitchToOwner(invocation, [path], () => openImportFiles(path))
  try {
    const recognizedFiles = await recognizeFiles(openFiles.files)
    return recognizedFiles.format === 'belfry'
      ? await importEventFile(invocation, domain, recognizedFiles.file)
      : await importTotals(invocation, domain, recognizedFiles.files)
  } finally {
    await openFiles.close()
  }
}
