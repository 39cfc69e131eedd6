/** Looks up which values of a dimension meet the conditions of a question. */
import type { Dimension } from '../model/dimensions.ts'
import { type FilterCondition, selectsByEvent } from './question.ts'

export class Conditions {
  readonly isEmpty: boolean
  readonly selectsByEvent: boolean
  /** For each dimension with a condition: 1 at the index of each id that meets it. */
  readonly #tables: ReadonlyMap<Dimension, Uint8Array>

  constructor(conditions: readonly FilterCondition[]) {
    this.isEmpty = conditions.length === 0
    this.selectsByEvent = selectsByEvent(conditions)
    this.#tables = new Map(
      [...Map.groupBy(conditions, ({ dimension }) => dimension)].map(([dimension, group]) => [
        dimension,
        createTable(group),
      ]),
    )
  }

  has(dimension: Dimension): boolean {
    return this.#tables.has(dimension)
  }

  /** Returns 1 for each code whose value meets the conditions, or undefined if there is no condition on the dimension. */
  matchDictionary(dimension: Dimension, dictionary: Int32Array): Uint8Array | undefined {
    const table = this.#tables.get(dimension)
    if (table === undefined) return undefined
    const matches = new Uint8Array(dictionary.length)
    for (let code = 0; code < dictionary.length; code++) matches[code] = table[dictionary[code] as number] ?? 0
    return matches
  }
}

/**
 * An id must meet all conditions. Only the country can have two, because a filter by continent becomes a condition on the
 * country.
 */
function createTable(conditions: readonly FilterCondition[]): Uint8Array {
  let maxId = 0
  for (const { ids } of conditions) for (const id of ids) if (id > maxId) maxId = id
  const counts = new Uint8Array(maxId + 1)
  for (const { ids } of conditions) for (const id of new Set(ids)) counts[id] = (counts[id] as number) + 1
  for (let id = 0; id <= maxId; id++) counts[id] = Number(counts[id] === conditions.length)
  return counts
}
