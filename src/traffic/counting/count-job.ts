/** Counts the blocks and rows of some days. Runs in a thread. */
import type { BlockColumn } from '../blocks/block.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import { parseBlock, parseRows } from '../blocks/parse-rows.ts'
import { decodeRowVisitors, type RawRows } from '../blocks/row-store.ts'
import { Scratch } from '../blocks/scratch.ts'
import type { CountTable } from '../model/count-table.ts'
import type { Dimension } from '../model/dimensions.ts'
import { DetailsCounter } from './count-details.ts'
import { StatisticsCounter } from './count-part.ts'
import { UntilCounter } from './count-until.ts'
import { type CountedValues, encodeTable } from './counted-values.ts'
import { BlockColumns, type PartColumns, RowColumns } from './part-columns.ts'
import { createTotals, type DayCounts, type DetailFigure, detailFigures, type Question } from './question.ts'

export interface DayInput {
  day: string
  /** The rows of each block, for `parseBlock`, with the columns of `listColumns`. */
  blocks: readonly (readonly Uint8Array[])[]
  /** The visitors to skip in the blocks, because they have rows. */
  rowVisitors: readonly Uint8Array[] | undefined
  rows: RawRows | undefined
}

export interface CountJob {
  question: Question
  days: readonly DayInput[]
}

/** Returns one element for each day of the job. Calls `beforeColumn` before each column that it decodes. */
export function runCountJob({ question, days }: CountJob, beforeColumn = () => {}): DayCounts[] {
  return days.map((input) => {
    try {
      return countDay(question, input, beforeColumn)
    } catch (error) {
      throw error instanceof BlockError ? new BlockError(`${input.day}: ${error.message}`, { cause: error }) : error
    }
  })
}

const scratch = new Scratch()
const allocate = (count: number) => scratch.allocateInt32s(count)

function countDay(question: Question, { blocks, rowVisitors, rows }: DayInput, beforeColumn: () => void): DayCounts {
  const columns = listColumns(question, rowVisitors !== undefined)
  const counter = createCounter(question)
  const skippedVisitors = rowVisitors && decodeRowVisitors(rowVisitors)
  for (const blockRows of blocks) {
    scratch.reset()
    counter.add(new BlockColumns(parseBlock(blockRows, columns), { allocate, beforeColumn }), skippedVisitors)
  }
  if (rows !== undefined) counter.add(new RowColumns(parseRows(rows)), undefined)
  return counter.finish()
}

interface Counter {
  add(columns: PartColumns, skippedVisitors: Float64Array | undefined): void
  finish(): DayCounts
}

function createCounter(question: Question): Counter {
  const nothing: DayCounts = {
    totals: createTotals(),
    panels: {},
    hours: undefined,
    details: undefined,
    storedVisits: 0,
  }
  if (question.kind === 'statistics') {
    const counter = new StatisticsCounter(question)
    return {
      add: (columns, skipped) => counter.add(columns, skipped),
      finish: () => ({ ...nothing, totals: counter.totals, panels: listPanels(counter.tables), hours: counter.hours }),
    }
  }
  if (question.kind === 'details') {
    const counter = new DetailsCounter(question.dimension, question.conditions)
    return {
      add: (columns, skipped) => counter.add(columns, skipped),
      finish: () => ({
        ...nothing,
        totals: { ...createTotals(), visits: counter.visitCount },
        details: Object.fromEntries(detailFigures.map((name) => [name, encodeTable(counter.tables[name])])) as Record<
          DetailFigure,
          CountedValues
        >,
      }),
    }
  }
  const counter = new UntilCounter(question.conditions, question.until)
  return {
    add: (columns, skipped) => counter.add(columns, skipped),
    finish: () => ({ ...nothing, totals: counter.totals, storedVisits: counter.storedVisits }),
  }
}

function listPanels(tables: ReadonlyMap<Dimension, CountTable>): DayCounts['panels'] {
  return Object.fromEntries([...tables].map(([dimension, table]) => [dimension, encodeTable(table)]))
}

/** The columns that the question needs. `hasRowVisitors` means that some visitors of the blocks are skipped. */
export function listColumns(question: Question, hasRowVisitors: boolean): BlockColumn[] {
  const { conditions } = question
  const columns = new Set<BlockColumn>(['visit_counts', 'hit_counts', ...conditions.map(({ dimension }) => dimension)])
  const add = (...names: BlockColumn[]) => {
    for (const name of names) columns.add(name)
  }
  const needsCustomHits = (dimensions: readonly Dimension[]) =>
    dimensions.some((name) => name === 'page' || name === 'event')
  if (needsCustomHits(conditions.map(({ dimension }) => dimension))) add('custom_hits')
  const visitColumns: BlockColumn[] = ['custom_hits', 'durations', 'views', 'actions']
  if (question.kind === 'statistics') {
    add(...question.panels)
    if (needsCustomHits(question.panels)) add('custom_hits')
    if (question.totals || question.hours) add(...visitColumns)
    if (question.hours) add('hour_bits', 'first_hours', 'hour_steps')
  } else if (question.kind === 'details') {
    add(question.dimension, ...visitColumns)
  } else {
    add(...visitColumns, 'starts', 'event_delays', 'event_gaps', 'engagement_counts')
  }
  if (hasRowVisitors) add('visitor_ids')
  return [...columns]
}
