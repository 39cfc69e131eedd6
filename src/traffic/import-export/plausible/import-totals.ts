/** Imports Plausible's daily totals in one transaction, which takes the traffic lock only after it has read all files. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../../lib/clock.ts'
import { findMonday, localDayAt } from '../../../lib/local-day.ts'
import { Problem } from '../../../lib/problem.ts'
import type { Database } from '../../../storage/database.ts'
import type { Queries } from '../../../storage/transaction.ts'
import type { Dimension } from '../../model/dimensions.ts'
import { packWeek } from '../../packing/pack-days.ts'
import { addCount, type CountMap, packColumns } from '../../packing/packed-counts.ts'
import { lockWebsiteDays, tryLockPacking, writePackedDay } from '../../packing/store.ts'
import type { Rollup } from '../../rollup/rollup.ts'
import { addDayTotals, assignValueIds, findExistingWebsiteIds, lockTraffic } from '../../rollup/store.ts'
import { DayTally, type DayTotals } from '../../rollup/visits.ts'
import { openCsvTable } from '../files/csv-table.ts'
import type { ImportFile, OnBytes } from '../files/input-files.ts'
import { daysHaveTrafficProblem, importInProgressProblem, websiteDeletedProblem } from '../import-errors.ts'
import { listTrafficDays, lockImport } from '../store.ts'
import {
  addStagedCounts,
  createStagingTable,
  indexStagingTable,
  insertStagedCounts,
  listStagedValues,
  preferHashJoins,
  readStagedCounts,
  type StagedCount,
} from './import-store.ts'
import { PlausibleRowReader, type PlausibleSink } from './row-reader.ts'
import type { PlausibleTable } from './tables.ts'

const PACKING_RECHECK_MS = 100
const MAX_COUNTS_IN_MEMORY = 10_000
const VALUES_PER_STATEMENT = 5_000

export interface PlausibleFile {
  table: PlausibleTable
  file: ImportFile
}

export interface PlausibleImportOptions {
  site: { id: number; domain: string; timeZone: string }
  files: readonly PlausibleFile[]
  /** Whether totals may be added to days that already have traffic. */
  mayAddToExistingDays: boolean
  onRows?(rows: number): void
  onBytes?: OnBytes
  /** Called when only the commit is left, which cannot be interrupted any more. */
  onReadyToCommit?(): void
}

interface Deps {
  db: Database
  rollup: Rollup
  clock: Clock
}

/** Returns the number of imported days. */
export async function importPlausibleTotals(
  { db, rollup, clock }: Deps,
  options: PlausibleImportOptions,
): Promise<number> {
  const { site, files, mayAddToExistingDays } = options
  if (!files.some(({ table }) => table === 'visitors')) {
    throw new Problem(
      'validation_failed',
      'The file imported_visitors_….csv, which has the number of visitors, is missing. Nothing was imported.',
    )
  }
  const today = localDayAt(site.timeZone, clock.now().getTime()).day
  return db.transaction(async (q) => {
    if (!(await lockImport(q, site.id))) throw importInProgressProblem(site.domain)
    await rollup.rollUpAll()
    await createStagingTable(q)
    const staging = new Staging(q, site.id)
    for (const file of files) await readFile(file, today, staging, options)
    staging.addHostnames()
    await staging.flush()
    await indexStagingTable(q)
    // Packing holds this lock for seconds. Rollups need only the traffic lock, so nobody waits for them to get it.
    while (!(await tryLockPacking(q, site.id))) await delay(PACKING_RECHECK_MS)
    await lockWebsiteDays(q, site.id)
    await lockTraffic(q)
    if (!(await findExistingWebsiteIds(q, [site.id])).has(site.id)) throw websiteDeletedProblem()
    const tallies = staging.listTallies()
    const daysWithTraffic = await listTrafficDays(q, site.id)
    const talliesOfDaysWithTraffic = tallies.filter(({ day }) => daysWithTraffic.has(day))
    if (!mayAddToExistingDays && talliesOfDaysWithTraffic.length > 0) {
      throw daysHaveTrafficProblem(
        site.domain,
        talliesOfDaysWithTraffic.map(({ day }) => day),
      )
    }
    await assignStagedValueIds(q, site.id)
    await writeNewDays(
      q,
      site.id,
      tallies.filter(({ day }) => !daysWithTraffic.has(day)),
    )
    await addToExistingDays(q, site.id, talliesOfDaysWithTraffic)
    options.onReadyToCommit?.()
    return tallies.length
  })
}

async function readFile(
  { table, file }: PlausibleFile,
  today: string,
  staging: Staging,
  { onRows, onBytes }: PlausibleImportOptions,
): Promise<void> {
  const { header, recordChunks } = await openCsvTable(file, onBytes)
  const reader = new PlausibleRowReader({ fileName: file.name, table, header, today })
  for await (const chunk of recordChunks) {
    for (const record of chunk) {
      reader.read(record, staging)
      if (staging.isFull) await staging.flush()
    }
    onRows?.(chunk.length)
  }
}

/** Sums up the lines of the files in memory, and moves the counts to the staging table when there are too many. */
class Staging implements PlausibleSink {
  readonly #q: Queries
  readonly #websiteId: number
  readonly #tallies = new Map<string, DayTally>()
  readonly #counts = new Map<string, StagedCount>()
  readonly #pageVisitors = new Map<string, Map<string, number>>()

  constructor(q: Queries, websiteId: number) {
    this.#q = q
    this.#websiteId = websiteId
  }

  get isFull(): boolean {
    return this.#counts.size >= MAX_COUNTS_IN_MEMORY
  }

  /** Returns a tally for each day, oldest first. It has only totals, because the counts are in the staging table. */
  listTallies(): DayTally[] {
    return [...this.#tallies.values()].sort((one, other) => (one.day < other.day ? -1 : 1))
  }

  addTotals(day: string, totals: Partial<DayTotals>): void {
    const tally = this.#getTally(day)
    for (const [name, count] of Object.entries(totals)) tally.totals[name as keyof DayTotals] += count
  }

  /** An empty value is unknown and not counted. */
  addCount(dimension: Dimension, day: string, value: string, count: number): void {
    this.#getTally(day)
    if (value === '' || count === 0) return
    const key = `${dimension} ${day} ${value}`
    const existingCount = this.#counts.get(key)
    if (existingCount === undefined) this.#counts.set(key, { dimension, day, value, count })
    else existingCount.count += count
  }

  addPageVisitors(day: string, hostname: string, visitors: number): void {
    const visitorsByHost = this.#pageVisitors.getOrInsertComputed(day, () => new Map())
    visitorsByHost.set(hostname, (visitorsByHost.get(hostname) ?? 0) + visitors)
  }

  /**
   * Counts the visitors of each host. Plausible exports them only by host and page, where a visitor of several pages
   * counts several times. So the visitors of the day are divided among the hosts in proportion to these numbers. With
   * one host, this is exact.
   */
  addHostnames(): void {
    for (const [day, visitorsByHost] of this.#pageVisitors) {
      const sum = visitorsByHost.values().reduce((total, visitors) => total + visitors, 0)
      const dayVisitors = this.#getTally(day).totals.visitors
      for (const [hostname, visitors] of visitorsByHost) {
        if (visitors > 0) this.addCount('hostname', day, hostname, Math.round((dayVisitors * visitors) / sum))
      }
    }
  }

  async flush(): Promise<void> {
    if (this.#counts.size > 0) await insertStagedCounts(this.#q, [...this.#counts.values()])
    this.#counts.clear()
  }

  #getTally(day: string): DayTally {
    return this.#tallies.getOrInsertComputed(day, () => new DayTally(this.#websiteId, day))
  }
}

async function assignStagedValueIds(q: Queries, websiteId: number): Promise<void> {
  let lastValue = { kind: 0, value: '' }
  for (;;) {
    const values = await listStagedValues(q, websiteId, lastValue, VALUES_PER_STATEMENT)
    if (values.length === 0) break
    await assignValueIds(q, values)
    lastValue = values.at(-1) ?? lastValue
  }
  await preferHashJoins(q)
}

/** Limits how long a statement takes and how many counts are in memory. */
const DAYS_PER_STATEMENT = 30

/**
 * Writes days that have no traffic in Belfry yet, directly in the packed form that `packDays` would give them later.
 * Importing 1.2 million values this way holds the lock for 13 seconds. Writing a row for each value first would take 20
 * seconds, and packing these rows another 20 seconds.
 */
async function writeNewDays(q: Queries, websiteId: number, tallies: readonly DayTally[]): Promise<void> {
  for (const chunk of chunkDays(tallies)) {
    await q.batch(addDayTotals(chunk))
    const countsByDay = Map.groupBy(await readStagedCounts(q, websiteId, daysOf(chunk)), ({ day }) => day)
    for (const { day } of chunk) {
      const countsByDimensionNumber = new Map<number, CountMap>()
      for (const { dimensionNumber, valueId, count } of countsByDay.get(day) ?? []) {
        addCount(
          countsByDimensionNumber.getOrInsertComputed(dimensionNumber, () => new Map()),
          valueId,
          count,
        )
      }
      // Plausible exports totals without visits. So filters, which need the visits of a day, find none on these days.
      await writePackedDay(q, { websiteId, day }, packColumns(countsByDimensionNumber), 'none')
    }
  }
  for (const week of new Set(tallies.map(({ day }) => findMonday(day)))) await packWeek(q, { websiteId, week })
}

async function addToExistingDays(q: Queries, websiteId: number, tallies: readonly DayTally[]): Promise<void> {
  for (const chunk of chunkDays(tallies)) {
    await addStagedCounts(q, websiteId, daysOf(chunk))
    await q.batch(addDayTotals(chunk))
  }
}

const daysOf = (tallies: readonly DayTally[]) => tallies.map(({ day }) => day)

function* chunkDays(tallies: readonly DayTally[]): Generator<readonly DayTally[]> {
  for (let start = 0; start < tallies.length; start += DAYS_PER_STATEMENT) {
    yield tallies.slice(start, start + DAYS_PER_STATEMENT)
  }
}
