/**
 * Counts visits and events day by day, in the traffic threads. The main thread only reads the stored bytes and passes them on. The counts of
 * days whose blocks don't change are remembered for the next question of the same kind.
 */
import { createHash } from 'node:crypto'
import { Problem } from '../../lib/problem.ts'
import type { TransactionQueries } from '../../storage/transaction.ts'
import { type RawBlockColumns, readBlocksByColumn, readStoredDays, type StoredDay } from '../blocks/block-store.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import {
  countingPlannerSettings,
  findRangeLimits,
  listRanges,
  readHitRows,
  readRowVisitors,
  readTimedRows,
  type VisitorRange,
} from '../blocks/row-store.ts'
import { type DayInput, listColumns } from '../counting/count-job.ts'
import { type DayCounts, mergeDayCounts, type Question } from '../counting/question.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'
import type { DayCountsCache } from './day-counts-cache.ts'
import type { WebsiteDays } from './store.ts'

export interface Counting {
  threads: TrafficThreads
  cache: DayCountsCache
}

/** Blocks are read in chunks of days with up to this many hits, to save memory. They take about 1 MB. */
const MAX_HITS_PER_READ = 300_000
/** A job with this many large blocks takes about 30 ms. */
const MAX_LARGE_BLOCKS_PER_JOB = 2
/** Days with little traffic have small blocks. Many of them share a job, so that there are fewer jobs. */
const MAX_SMALL_BLOCKS_PER_JOB = 100
const MAX_SMALL_BLOCK_BYTES = 20_000
/** Rows are read in ranges of visitors with about this many hits, to save memory. */
const MAX_HITS_PER_RANGE = 400_000

/**
 * Returns what was counted on each day that has visits. If the ids of filter values in `pendingQuestion` are still being read, that
 * read and the list of days share a round trip.
 */
export async function countDays(
  q: TransactionQueries,
  { threads, cache }: Counting,
  days: WebsiteDays,
  pendingQuestion: Question | Promise<Question>,
): Promise<Map<string, DayCounts>> {
  const [question, storedDays] = await Promise.all([pendingQuestion, readStoredDays(q, days)])
  const run = new CountingRun(q, threads, days.websiteId, question)
  const questionKey = hashQuestion(days.websiteId, question)
  const uncachedDays = storedDays.filter((day) => {
    const counts = day.hasRows || day.blockSet === 0 ? undefined : cache.get(questionKey, day)
    if (counts !== undefined) run.add(day.day, counts)
    return counts === undefined
  })
  try {
    await run.countAll(uncachedDays)
  } catch (error) {
    throw error instanceof BlockError ? damagedProblem(error) : error
  }
  for (const day of uncachedDays) {
    const counts = run.counts.get(day.day)
    // Nobody asks for the same millisecond again.
    if (!day.hasRows && counts !== undefined && question.kind !== 'until') cache.set(questionKey, day, counts)
  }
  return run.counts
}

/** The message of the error begins with the day and says what is damaged. The log has it as the cause. */
function damagedProblem(error: BlockError): Problem {
  const day = error.message.slice(0, 'YYYY-MM-DD'.length)
  const detail = `The stored visits of ${day} are damaged. Choose a period without this day, or ask an admin to run \`belfry doctor\`.`
  return new Problem('internal', detail, { cause: error })
}

/** A filter such as `page:/*` can have thousands of ids. */
function hashQuestion(websiteId: number, question: Question): string {
  return createHash('sha256')
    .update(JSON.stringify([websiteId, question]))
    .digest('base64')
}

class CountingRun {
  readonly counts = new Map<string, DayCounts>()
  readonly #q: TransactionQueries
  readonly #threads: TrafficThreads
  readonly #websiteId: number
  readonly #question: Question
  readonly #runningJobs = new Set<Promise<void>>()

  constructor(q: TransactionQueries, threads: TrafficThreads, websiteId: number, question: Question) {
    this.#q = q
    this.#threads = threads
    this.#websiteId = websiteId
    this.#question = question
  }

  add(day: string, counts: DayCounts): void {
    const earlier = this.counts.get(day)
    this.counts.set(day, earlier === undefined ? counts : mergeDayCounts(earlier, counts))
  }

  async countAll(days: readonly StoredDay[]): Promise<void> {
    try {
      if (days.some(({ hasRows }) => hasRows)) await this.#q.batch(countingPlannerSettings)
      for (const day of days) if (day.hasRows) await this.#countRows(day)
      for (const chunk of chunkDays(days.filter(({ hasRows, blockSet }) => !hasRows && blockSet > 0))) {
        await this.#countBlocks(await this.#readBlocks(chunk, false), undefined)
      }
    } finally {
      await Promise.allSettled(this.#runningJobs)
    }
    await Promise.all(this.#runningJobs)
  }

  #readBlocks(days: readonly string[], hasRowVisitors: boolean): Promise<RawBlockColumns[]> {
    return readBlocksByColumn(this.#q, this.#websiteId, days, listColumns(this.#question, hasRowVisitors))
  }

  /** A day that is not over has rows only. A day with late events has rows and blocks. */
  async #countRows({ day, blockSet, hits }: StoredDay): Promise<void> {
    const websiteDay = { websiteId: this.#websiteId, day }
    if (blockSet > 0) {
      const rowVisitors = await readRowVisitors(this.#q, websiteDay)
      await this.#countBlocks(await this.#readBlocks([day], true), rowVisitors)
    }
    // The hits of a day with blocks are nearly all in the blocks.
    const rangeCount = blockSet > 0 ? 1 : Math.ceil(hits / MAX_HITS_PER_RANGE)
    for (const range of listRanges(await findRangeLimits(this.#q, websiteDay, rangeCount))) {
      await this.#start([{ day, blocks: [], rowVisitors: undefined, rows: await this.#readRows(day, range) }])
    }
  }

  #readRows(day: string, range: VisitorRange) {
    const websiteDay = { websiteId: this.#websiteId, day }
    return this.#question.kind === 'until'
      ? readTimedRows(this.#q, websiteDay, range)
      : readHitRows(this.#q, websiteDay, range)
  }

  async #countBlocks(
    blocks: readonly RawBlockColumns[],
    rowVisitors: readonly Uint8Array[] | undefined,
  ): Promise<void> {
    let inputs: { day: string; blocks: Uint8Array[][]; rowVisitors: typeof rowVisitors; rows: undefined }[] = []
    let blockCount = 0
    for (const { day, rows } of blocks) {
      const input = inputs.at(-1)
      if (input?.day === day) input.blocks.push(rows)
      // Every job gets its own copy, because the bytes move to its thread.
      else
        inputs.push({ day, blocks: [rows], rowVisitors: rowVisitors?.map((bytes) => bytes.slice()), rows: undefined })
      blockCount++
      if (blockCount < this.#maxBlocksPerJob(rows)) continue
      await this.#start(inputs)
      inputs = []
      blockCount = 0
    }
    if (inputs.length > 0) await this.#start(inputs)
  }

  #maxBlocksPerJob(rows: readonly Uint8Array[]): number {
    // This question is about one day, and nearly every first view of a website asks it. So split the blocks between the threads.
    if (this.#question.kind === 'until') return 1
    const byteLength = rows.reduce((sum, row) => sum + row.byteLength, 0)
    return byteLength <= MAX_SMALL_BLOCK_BYTES ? MAX_SMALL_BLOCKS_PER_JOB : MAX_LARGE_BLOCKS_PER_JOB
  }

  /** Waits while each thread has a job of this question and another one waits. */
  async #start(inputs: readonly DayInput[]): Promise<void> {
    const job = this.#threads
      .count(this.#websiteId, { question: this.#question, days: inputs })
      .then((countsOfDays) => {
        for (const [index, counts] of countsOfDays.entries()) this.add((inputs[index] as DayInput).day, counts)
      })
    this.#runningJobs.add(job)
    job.then(
      () => this.#runningJobs.delete(job),
      () => {},
    )
    while (this.#runningJobs.size > this.#threads.threadCount) await Promise.race(this.#runningJobs)
  }
}

function* chunkDays(days: readonly StoredDay[]): Generator<string[]> {
  let chunk: string[] = []
  let hitCount = 0
  for (const { day, hits } of days) {
    if (hitCount > 0 && hitCount + hits > MAX_HITS_PER_READ) {
      yield chunk
      chunk = []
      hitCount = 0
    }
    chunk.push(day)
    hitCount += hits
  }
  if (chunk.length > 0) yield chunk
}
