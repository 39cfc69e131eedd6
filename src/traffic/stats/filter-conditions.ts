/** Converts the filters of a request to conditions on the ids of values. */
import type { Queries } from '../../storage/client.ts'
import { findContinent } from '../model/continents.ts'
import { findMatchingValueIds, readDimensionValues } from './counts-store.ts'
import type { FilterCondition } from './filtered-store.ts'
import { createMatcher, type StatisticsFilter, toLikePattern } from './filters.ts'

/** Returns undefined if there are no filters. */
export async function readFilterConditions(
  q: Queries,
  websiteId: number,
  filters: readonly StatisticsFilter[],
): Promise<FilterCondition[] | undefined> {
  if (filters.length === 0) return undefined
  const conditions: FilterCondition[] = []
  for (const [name, alternatives] of Map.groupBy(filters, (filter) => filter.name)) {
    const patterns = alternatives.map(({ pattern }) => pattern)
    conditions.push(
      name === 'continent'
        ? { dimension: 'country', ids: await findCountryIds(q, websiteId, patterns) }
        : { dimension: name, ids: await findMatchingValueIds(q, websiteId, name, patterns.map(toLikePattern)) },
    )
  }
  return conditions
}

/** Returns the ids of all countries whose continent matches one of the patterns. */
async function findCountryIds(q: Queries, websiteId: number, continentPatterns: readonly string[]): Promise<number[]> {
  const matchers = continentPatterns.map(createMatcher)
  const countries = await readDimensionValues(q, websiteId, 'country')
  return [...countries].flatMap(([id, code]) => {
    const continent = findContinent(code)
    return continent !== undefined && matchers.some((matches) => matches(continent)) ? [id] : []
  })
}
