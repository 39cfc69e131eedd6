/** Adds Plausible's totals to what days came to: in one transaction, and under the lock of the rollup only at its end. */
import type { Clock } from '../../../lib/clock.ts'
import { localDayOf } from '../../../lib/local-day.ts'
import { Problem } from '../../../lib/problem.ts'
import type { Queries } from '../../../storage/client.ts'
import type { Database } from '../../../storage/database.ts'
import type { PanelDimension } from '../../model/dimensions.ts'
import type { Rollup } from '../../rollup/rollup.ts'
import { assignValueIds, findExistingWebsites, lockTraffic } from '../../rollup/store.ts'
import { DayTally, type DayTotals } from '../../rollup/tally.ts'
import { openCsvTable } from '../files/csv-table.ts'
import type { ImportFile, OnBytes } from '../files/input-files.ts'
import { daysHaveTraffic, importInProgress, websiteDeleted } from '../import-errors.ts'
import {
  createStagingTable,
  indexStagingTable,
  insertStagedCounts,
  listStagedValues,
  listTrafficDays,
  lockImport,
  preferHashJoins,
  type StagedCount,
} from '../import-store.ts'
import { PlausibleRowReader, type PlausibleSink } from './row-reader.ts'
import type { PlausibleTable } from './tables.ts'
import { addToExistingDays, writeNewDays } from './write-days.ts'

const STAGED_AT_ONCE = 10_000
const VALUES_AT_ONCE = 5_000

export interface PlausibleImportOptions {
  site: { id: number; domain: string; timeZone: string }
  files: readonly { table: PlausibleTable; input: ImportFile }[]
  mayAdd: boolean
  onRows?(rows: number): void
  onBytes?: OnBytes
  /** From here on it is in, as soon as the transaction ends. */
  onComplete?(): void
}

interface Needs {
  db: Database
  rollup: Rollup
  clock: Clock
}

/** Answers with the number of days. */
export async function importPlausibleTotals(
  { db, rollup, clock }: Needs,
  options: PlausibleImportOptions,
): Promise<number> {
  const { site, files, mayAdd } = options
  if (!files.some(({ table }) => table === 'visitors')) {
    throw new Problem(
      'validation_failed',
      'The file imported_visitors is missing, and with it how many visitors there were. Nothing was changed.',
    )
  }
  const today = localDayOf(site.timeZone, clock.now().getTime()).day
  return db.transaction(async (q) => {
    if (!(await lockImport(q, site.id))) throw importInProgress(site.domain)
    await rollup.rollUpAll()
    await createStagingTable(q)
    const staging = new Staging(q, site.id)
    for (const file of files) await readFile(file, { staging, today, options })
    await staging.flush()
    const days = staging.days()
    await indexStagingTable(q)
    await lockTraffic(q)
    if (!(await findExistingWebsites(q, [site.id])).has(site.id)) throw websiteDeleted()
    const taken = await listTrafficDays(q, site.id)
    const twice = days.filter(({ day }) => taken.has(day))
    if (!mayAdd && twice.length > 0) {
      throw daysHaveTraffic(
        site.domain,
        twice.map(({ day }) => day),
      )
    }
    await numberStaged(q, site.id)
    await writeNewDays(
      q,
      site.id,
      days.filter(({ day }) => !taken.has(day)),
    )
    await addToExistingDays(q, site.id, twice)
    options.onComplete?.()
    return days.length
  })
}

interface Reading {
  staging: Staging
  today: string
  options: PlausibleImportOptions
}

async function readFile(
  file: PlausibleImportOptions['files'][number],
  { staging, today, options }: Reading,
): Promise<void> {
  const { table, input } = file
  const { header, records } = await openCsvTable(input, options.onBytes)
  const reader = new PlausibleRowReader({ name: input.name, table, header, today })
  for await (const piece of records) {
    for (const record of piece) {
      reader.read(record, staging)
      if (staging.isFull) await staging.flush()
    }
    options.onRows?.(piece.length)
  }
}

/** What was read, added up as far as it has not been written away yet. */
class Staging implements PlausibleSink {
  readonly #q: Queries
  readonly #websiteId: number
  readonly #days = new Map<string, DayTally>()
  readonly #counts = new Map<string, StagedCount>()

  constructor(q: Queries, websiteId: number) {
    this.#q = q
    this.#websiteId = websiteId
  }

  get isFull(): boolean {
    return this.#counts.size >= STAGED_AT_ONCE
  }

  /** Oldest first. */
  days(): DayTally[] {
    return [...this.#days.values()].sort((one, other) => (one.day < other.day ? -1 : 1))
  }

  addTotals(day: string, more: Partial<DayTotals>): void {
    const { totals } = this.#dayOf(day)
    for (const [name, count] of Object.entries(more)) totals[name as keyof DayTotals] += count
  }

  /** What has no name is not known, and what did not happen is not counted. */
  addCount(dimension: PanelDimension, day: string, value: string, count: number): void {
    this.#dayOf(day)
    if (value === '' || count === 0) return
    const key = `${dimension} ${day} ${value}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { dimension, day, value, count })
    else known.count += count
  }

  async flush(): Promise<void> {
    if (this.#counts.size > 0) await insertStagedCounts(this.#q, [...this.#counts.values()])
    this.#counts.clear()
  }

  #dayOf(day: string): DayTally {
    return this.#days.getOrInsertComputed(day, () => new DayTally(this.#websiteId, day))
  }
}

async function numberStaged(q: Queries, websiteId: number): Promise<void> {
  let last = { kind: 0, value: '' }
  for (;;) {
    const values = await listStagedValues(q, websiteId, last, VALUES_AT_ONCE)
    if (values.length === 0) break
    await assignValueIds(q, values)
    last = values.at(-1) ?? last
  }
  await preferHashJoins(q)
}
