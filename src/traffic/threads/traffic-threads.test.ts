/** Real threads with small jobs. */
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeBlockRow, writeRawRows } from '../../../tests/support/copy-rows.ts'
import { countNaively } from '../../../tests/support/naive-counts.ts'
import { createRandomRows, sortRows, toPart, toRows } from '../../../tests/support/random-part.ts'
import { Problem } from '../../lib/problem.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import { mergeParts } from '../blocks/combine-parts.ts'
import { decodeBlock } from '../blocks/decode-block.ts'
import { encodeBlock } from '../blocks/encode-block.ts'
import { type CountJob, listColumns } from '../counting/count-job.ts'
import type { Question } from '../counting/question.ts'
import { TrafficThreads } from './traffic-threads.ts'

const DAY = '2026-10-25'
const rows = createRandomRows(501)
const question: Question = { kind: 'statistics', conditions: [], panels: ['page'], totals: true, hours: false }
const { totals } = countNaively(rows, question)
const block = encodeBlock(toPart(rows))
const columns = listColumns(question, false)

const createJob = (row = writeBlockRow(DAY, block, columns)): CountJob => ({
  question,
  days: [{ day: DAY, blocks: [[row]], rowVisitors: undefined, rows: undefined }],
})

function createDamagedJob(): CountJob {
  const page = Uint8Array.from(block.columns.page ?? [])
  page[9] = (page[9] as number) ^ 1
  return createJob(writeBlockRow(DAY, { ...block, columns: { ...block.columns, page } }, columns))
}

let threads: TrafficThreads

beforeEach(() => {
  // With one thread, the order of jobs is certain.
  threads = new TrafficThreads({ threadCount: 1 })
})
afterEach(() => threads.close())

describe('traffic threads', () => {
  it('start the jobs of two websites in turn', async () => {
    const order: number[] = []
    const run = async (websiteId: number) => {
      await threads.count(websiteId, createJob())
      order.push(websiteId)
    }
    await Promise.all([...Array.from({ length: 6 }, () => run(1)), run(2), run(2), run(3)])
    // The first job starts before the other websites have any.
    expect(order).toEqual([1, 1, 2, 3, 1, 2, 1, 1, 1])
  })

  it('count, pack and decode', async () => {
    const [counts] = await threads.count(1, createJob())
    expect(counts?.totals).toEqual(totals)
    const late = createRandomRows(502)
    const input = () => ({ blocks: [writeBlockRow(DAY, block)], rows: writeRawRows(late, true) })
    const part = await threads.read(1, input())
    expect(part).toEqual(mergeParts(toPart(late), toPart(rows)))
    const [packed] = await threads.pack(1, input())
    expect(packed && toRows(decodeBlock(packed))).toEqual(toRows(part))
    expect(toRows(part)).not.toEqual(sortRows(rows))
  })

  it('reject only the job whose block is damaged, and name its day', async () => {
    const results = await Promise.allSettled([
      threads.count(1, createJob()),
      threads.count(1, createDamagedJob()),
      threads.count(1, createJob()),
      threads.count(2, createJob()),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    const { reason } = results[1] as PromiseRejectedResult
    expect(reason).toBeInstanceOf(BlockError)
    expect(reason.message).toMatch(/^2026-10-25: /)
  })

  it('go on after a job that failed for another reason', async () => {
    const broken = createJob(new Uint8Array([0, 9, 1]))
    await expect(threads.count(1, broken)).rejects.toThrow(RangeError)
    const [counts] = await threads.count(1, createJob())
    expect(counts?.totals).toEqual(totals)
  })

  it('end when they are closed, and reject waiting and later jobs', async () => {
    await threads.count(1, createJob())
    const jobs = Promise.allSettled([threads.count(1, createJob()), threads.count(1, createJob())])
    threads.close()
    for (const result of await jobs) expect((result as PromiseRejectedResult).reason).toBeInstanceOf(Problem)
    await expect(threads.count(1, createJob())).rejects.toBeInstanceOf(Problem)
  })
})

/** The niceness of each thread of this process, by the id of the thread. */
function readNiceness(): Map<string, number> {
  return new Map(readdirSync('/proc/self/task').map((id) => [id, readNicenessOf(id)]))
}

function readNicenessOf(id: string): number {
  try {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, 'utf8')
    // The name of the thread is in parentheses, and can contain spaces. Niceness is the 17th field after it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
  } catch {
    // The thread of an earlier test has just ended.
    return 0
  }
}

it.runIf(process.platform === 'linux')('have a low priority, which this thread does not get', async () => {
  const ownPriority = getPriority()
  const before = readNiceness()
  await threads.count(1, createJob())
  const newNiceness = [...readNiceness()].flatMap(([id, niceness]) => (before.has(id) ? [] : [niceness]))
  expect(newNiceness).toContain(Math.max(10, ownPriority))
  expect(getPriority()).toBe(ownPriority)
})
