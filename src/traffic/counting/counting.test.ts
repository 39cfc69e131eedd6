/** Every kind of question about random visits and events, compared with a recount that shares no code with the engine. */
import { describe, expect, it } from 'vitest'
import { writeBlockRow, writeRawRows, writeVisitors } from '../../../tests/support/copy-rows.ts'
import { type Counts, countNaively, type NaiveAnswer } from '../../../tests/support/naive-counts.ts'
import { createRandomRows, DAY_START, type SampleRows, toPart } from '../../../tests/support/random-part.ts'
import { createRandomSource, type RandomSource } from '../../../tests/support/random-source.ts'
import type { Block } from '../blocks/block.ts'
import { splitPart } from '../blocks/combine-parts.ts'
import { encodeBlock } from '../blocks/encode-block.ts'
import { CountTable } from '../model/count-table.ts'
import { type Dimension, dimensionNames } from '../model/dimensions.ts'
import { type DayInput, listColumns, runCountJob } from './count-job.ts'
import { addToTable, type CountedValues } from './counted-values.ts'
import { type DayCounts, type FilterCondition, mergeDayCounts, type Question } from './question.ts'

const DAY = '2026-10-25'
/** No value has this id. */
const UNUSED_ID = 999_999

function toCounts(values: CountedValues): Counts {
  const table = new CountTable()
  addToTable(table, values)
  const counts: Counts = {}
  table.forEach((count, id) => {
    counts[id] = count
  })
  return counts
}

function toPlainAnswer({ totals, panels, hours, details, storedVisits }: DayCounts): NaiveAnswer {
  const mapValues = <T, Result>(record: Record<string, T>, map: (value: T) => Result) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
  return {
    totals,
    panels: mapValues(panels as Record<Dimension, CountedValues>, toCounts),
    hours: hours && mapValues(hours, (numbers) => [...numbers]),
    details: details && mapValues(details, toCounts),
    storedVisits,
  }
}

interface StoredRows {
  blocks: Block[]
  rows: SampleRows
  rowVisitors: number[]
}

const MAX_EVENTS = 60
const encodeAll = (rows: SampleRows) => splitPart(toPart(rows), MAX_EVENTS).map(encodeBlock)

/** Every third visitor has rows. The blocks have fewer visits and events of them, because the others arrived later. */
function storePartly(all: SampleRows): StoredRows {
  const visitors = [...new Set(all.visits.map(({ visitor }) => visitor))]
  const rowVisitors = new Set(visitors.filter((_, index) => index % 3 === 0))
  const rowVisits = all.visits.filter(({ visitor }) => rowVisitors.has(visitor))
  const rowVisitIds = new Set(rowVisits.map(({ id }) => id))
  const isStored = (visitId: number) => !rowVisitIds.has(visitId) || visitId % 2 === 0
  const blocks = encodeAll({
    visits: all.visits.filter(({ id }) => isStored(id)),
    events: all.events.filter(({ visitId }) => isStored(visitId)),
  })
  const rows = { visits: rowVisits, events: all.events.filter(({ visitId }) => rowVisitIds.has(visitId)) }
  return { blocks, rows, rowVisitors: [...rowVisitors] }
}

/** Encoding takes longer than counting, so do it once. */
const [blocksByRows, storedByRows] = [new WeakMap<SampleRows, Block[]>(), new WeakMap<SampleRows, StoredRows>()]

/** Blocks with only the columns that the question lists. Reading any other column throws. */
const writeBlocks = (blocks: readonly Block[], question: Question, hasRowVisitors: boolean) =>
  blocks.map((block) => [writeBlockRow(DAY, block, listColumns(question, hasRowVisitors))])

const inBlocks = (rows: SampleRows, question: Question): DayInput => ({
  day: DAY,
  blocks: writeBlocks(blocksByRows.getOrInsertComputed(rows, encodeAll), question, false),
  rowVisitors: undefined,
  rows: undefined,
})

const inRows = (rows: SampleRows, question: Question): DayInput => ({
  day: DAY,
  blocks: [],
  rowVisitors: undefined,
  rows: writeRawRows(rows, question.kind === 'until'),
})

function inBlocksAndRows(all: SampleRows, question: Question): DayInput {
  const { blocks, rows, rowVisitors } = storedByRows.getOrInsertComputed(all, storePartly)
  return {
    day: DAY,
    blocks: writeBlocks(blocks, question, true),
    rowVisitors: writeVisitors(rowVisitors),
    rows: writeRawRows(rows, question.kind === 'until'),
  }
}

const count = (question: Question, source: DayInput) =>
  toPlainAnswer(runCountJob({ question, days: [source] })[0] as DayCounts)

function expectSameAnswer(rows: SampleRows, question: Question): void {
  const expected = countNaively(rows, question)
  const description = JSON.stringify(question)
  expect(count(question, inBlocks(rows, question)), `blocks: ${description}`).toEqual(expected)
  expect(count(question, inRows(rows, question)), `rows: ${description}`).toEqual(expected)
  expect(count(question, inBlocksAndRows(rows, question)), `both: ${description}`).toEqual(expected)
}

const pick = <T>(random: RandomSource, list: readonly T[]) => list[Math.floor(random.uniform() * list.length)] as T

function createCondition(random: RandomSource, dimension: Dimension): FilterCondition {
  const ids = Array.from({ length: 1 + random.poisson(1) }, () => 1 + Math.floor(random.uniform() * 6))
  return { dimension, ids: random.uniform() < 0.1 ? [UNUSED_ID] : ids }
}

/** Broad conditions, so that several of them together still match something. */
const createConditions = (random: RandomSource): FilterCondition[] =>
  Array.from({ length: Math.min(3, random.poisson(1.2)) }, () => createCondition(random, pick(random, dimensionNames)))

const askAll = (conditions: readonly FilterCondition[]): Question => ({
  kind: 'statistics',
  conditions,
  panels: dimensionNames,
  totals: true,
  hours: true,
})

describe('the engine', () => {
  const rows = createRandomRows(401, { visitorCount: 30 })

  it('counts everything without a filter', () => {
    expectSameAnswer(rows, askAll([]))
    expect(countNaively(rows, askAll([])).totals.bounces).toBeGreaterThan(0)
  })

  it.each(dimensionNames)('filters by %s, and counts its values', (dimension) => {
    const [one, several] = [
      { dimension, ids: [1] },
      { dimension, ids: [1, 2, 3, UNUSED_ID] },
    ]
    expect(countNaively(rows, askAll([one])).totals.visits).toBeGreaterThan(0)
    for (const condition of [one, several, { dimension, ids: [UNUSED_ID] }, { dimension, ids: [] }]) {
      expectSameAnswer(rows, askAll([condition]))
      expectSameAnswer(rows, { kind: 'until', conditions: [condition], until: DAY_START + 12 * 3_600_000 })
    }
    for (const other of [
      [],
      [several],
      [{ dimension: 'page' as const, ids: [1, 2, 3] }],
      [{ dimension: 'event' as const, ids: [1, 2] }],
    ])
      expectSameAnswer(rows, { kind: 'details', conditions: other, dimension })
  })

  it.each(dimensionNames)('counts only %s if nothing else is asked for', (dimension) => {
    for (const conditions of [[], [{ dimension: 'source' as const, ids: [1, 2] }]]) {
      const question: Question = { kind: 'statistics', conditions, panels: [dimension], totals: false, hours: false }
      expectSameAnswer(rows, question)
    }
  })

  it('counts totals and hours without panels', () => {
    for (const [totals, hours] of [
      [true, false],
      [false, true],
      [false, false],
    ] as const)
      expectSameAnswer(rows, { kind: 'statistics', conditions: [], panels: [], totals, hours })
  })

  it('applies two conditions on the same dimension together', () => {
    const conditions = [
      { dimension: 'country' as const, ids: [1, 2] },
      { dimension: 'country' as const, ids: [2, 3] },
    ]
    expectSameAnswer(rows, askAll(conditions))
    expectSameAnswer(rows, askAll([{ dimension: 'country', ids: [2] }]))
  })
})

describe.each([411, 412, 413, 414])('random questions with the seed %i', (seed) => {
  const random = createRandomSource(seed)
  const rows = createRandomRows(seed, {
    visitorCount: 5 + (seed % 30),
    unknownDimensions: [pick(random, dimensionNames)],
  })

  it('are answered like a recount', () => {
    for (let index = 0; index < 6; index++) {
      expectSameAnswer(rows, askAll(createConditions(random)))
      expectSameAnswer(rows, {
        kind: 'details',
        conditions: createConditions(random),
        dimension: pick(random, dimensionNames),
      })
    }
  })

  it('are answered for a part of the day, also at the very time of an event', () => {
    const times = [...rows.visits.map(({ startedAt }) => startedAt), ...rows.events.map(({ at }) => at)]
    for (let index = 0; index < 6; index++) {
      const until = pick(random, times) + pick(random, [-1, 0, 1, 0])
      for (const conditions of [[], createConditions(random)])
        expectSameAnswer(rows, { kind: 'until', conditions, until })
    }
    for (const until of [0, Number.MAX_SAFE_INTEGER]) expectSameAnswer(rows, { kind: 'until', conditions: [], until })
  })
})

it('counts more values than fit into a byte', () => {
  const rows = createRandomRows(431, { visitorCount: 450, valueFactor: 300 })
  const block = encodeBlock(toPart(rows))
  const ids = [...Array(400).keys()].map((id) => id + 1)
  const questions: Question[] = [
    ...[[], [{ dimension: 'page', ids }], [{ dimension: 'source', ids }], [{ dimension: 'city', ids }]].map(
      (conditions) => askAll(conditions as FilterCondition[]),
    ),
    ...(['page', 'landing_page', 'browser'] as const).map(
      (dimension): Question => ({ kind: 'details', conditions: [{ dimension: 'country', ids }], dimension }),
    ),
    { kind: 'until', conditions: [{ dimension: 'page', ids }], until: DAY_START + 12 * 3_600_000 },
  ]
  for (const question of questions) {
    const expected = countNaively(rows, question)
    const blocks = writeBlocks([block], question, false)
    expect(count(question, { ...inRows(rows, question), blocks, rows: undefined })).toEqual(expected)
    expect(count(question, inRows(rows, question))).toEqual(expected)
  }
  const { panels } = countNaively(rows, askAll([]))
  for (const dimension of ['page', 'landing_page', 'browser'] as const)
    expect(Object.keys(panels[dimension] ?? {}).length).toBeGreaterThan(256)
})

describe('counts of several days', () => {
  it.each([
    askAll([{ dimension: 'page', ids: [1, 2, 3, 4] }]),
    { kind: 'details', conditions: [], dimension: 'landing_page' } satisfies Question,
    { kind: 'until', conditions: [], until: DAY_START + 12 * 3_600_000 } satisfies Question,
  ])('add up, if they have different visitors: $kind', (question) => {
    const rows = createRandomRows(421, { visitorCount: 50 })
    const source = inBlocks(rows, question)
    const days = source.blocks.map((block) => ({ ...source, blocks: [block] }))
    expect(days.length).toBeGreaterThan(2)
    expect(toPlainAnswer(runCountJob({ question, days }).reduce(mergeDayCounts))).toEqual(countNaively(rows, question))
  })

  it('are 0 for a day without anything', () => {
    const nothing = { visits: [], events: [] }
    for (const question of [
      askAll([]),
      { kind: 'until', conditions: [], until: DAY_START } as const,
      { kind: 'details', conditions: [], dimension: 'page' } as const,
    ])
      expectSameAnswer(nothing, question)
  })
})
