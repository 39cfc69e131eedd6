/** What `traffic import` does, by what it was given. */
import { systemClock } from '../lib/clock.ts'
import { formatCount } from '../lib/format.ts'
import { Problem } from '../lib/problem.ts'
import { isEventHeader } from '../traffic/import-export/belfry/columns.ts'
import { readEventFile } from '../traffic/import-export/belfry/read-event-file.ts'
import { readCsvHeader } from '../traffic/import-export/files/csv-table.ts'
import { findImportFiles, type ImportFile } from '../traffic/import-export/files/input-files.ts'
import { ensureWebsiteExists, importEvents } from '../traffic/import-export/import-events.ts'
import { importPlausibleTotals } from '../traffic/import-export/plausible/import-totals.ts'
import { findPlausibleTable, type PlausibleTable } from '../traffic/import-export/plausible/tables.ts'
import { allOrNothing } from './all-or-nothing.ts'
import type { Invocation } from './command.ts'
import { Progress } from './progress.ts'
import { createRollup, getSite, rollUpWithProgress, warnAboutOldEvents } from './traffic-site.ts'
import { withDatabase } from './with-database.ts'

type Contents =
  | { format: 'belfry'; input: ImportFile }
  | { format: 'plausible'; files: { table: PlausibleTable; input: ImportFile }[] }

const refused = (sentence: string) => new Problem('validation_failed', `${sentence} Nothing was changed.`)

/** By their first lines. */
async function recognise(inputs: readonly ImportFile[]): Promise<Contents> {
  const [first] = inputs
  const files: { table: PlausibleTable; input: ImportFile }[] = []
  for (const input of inputs) {
    const header = await readCsvHeader(input)
    if (isEventHeader(header)) {
      if (first !== undefined && inputs.length === 1) return { format: 'belfry', input: first }
      throw refused(`${input.name} holds events of Belfry, and is one of ${inputs.length} files. Import it by itself.`)
    }
    const table = findPlausibleTable(header)
    if (table === undefined) {
      throw refused(`${input.name} is neither an export of Belfry nor one of Plausible, by its first line.`)
    }
    const other = files.find((file) => file.table === table)
    if (other !== undefined) throw refused(`${other.input.name} and ${input.name} hold the same table of Plausible.`)
    files.push({ table, input })
  }
  return { format: 'plausible', files }
}

async function importEventFile(invocation: Invocation, domain: string, input: ImportFile): Promise<string> {
  const { config, note, options } = invocation
  const progress = new Progress(note, 'Reading', input.bytes, { unit: 'events' })
  const count = await withDatabase(invocation, async (db) => {
    const site = await getSite(db, domain)
    const rollup = createRollup(db)
    const now = systemClock.now().getTime()
    let tooOld = 0
    const count = await allOrNothing(invocation, (onComplete) =>
      importEvents(
        { db, rollup, clock: systemClock, config },
        {
          site,
          open: () => readEventFile(input, site, now, (bytes) => progress.add(0, bytes)),
          mayAdd: options['add'] === true,
          onEvents: (events) => progress.add(events, 0),
          onTooOld: (days) => (tooOld = days),
          onComplete,
        },
      ),
    )
    progress.end(`Read ${input.name}`)
    await rollUpWithProgress(rollup, count, invocation)
    await ensureWebsiteExists(db, site)
    warnAboutOldEvents(invocation, tooOld)
    return count
  })
  return `Imported ${formatCount(count)} ${count === 1 ? 'event' : 'events'} into ${domain}.`
}

async function importTotals(
  invocation: Invocation,
  domain: string,
  files: { table: PlausibleTable; input: ImportFile }[],
): Promise<string> {
  const { note, options } = invocation
  const bytes = files.reduce((sum, { input }) => sum + input.bytes, 0)
  const progress = new Progress(note, 'Reading', bytes)
  const days = await withDatabase(invocation, async (db) => {
    const site = await getSite(db, domain)
    return allOrNothing(invocation, (onComplete) =>
      importPlausibleTotals(
        { db, rollup: createRollup(db), clock: systemClock },
        {
          site,
          files,
          mayAdd: options['add'] === true,
          onRows: (rows) => progress.add(rows, 0),
          onBytes: (more) => progress.add(0, more),
          onComplete,
        },
      ),
    )
  })
  progress.end(`Read ${files.length} ${files.length === 1 ? 'file' : 'files'}`)
  return `Imported ${formatCount(days)} ${days === 1 ? 'day' : 'days'} from Plausible into ${domain}.`
}

/** Answers with what to say. */
export async function importFiles(invocation: Invocation, domain: string, path: string): Promise<string> {
  const contents = await recognise(await findImportFiles(path))
  return contents.format === 'belfry'
    ? importEventFile(invocation, domain, contents.input)
    : importTotals(invocation, domain, contents.files)
}
