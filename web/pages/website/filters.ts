/** Filters of the statistics as they appear in the URL: `page:/blog*`. */
import { MAX_FILTER_PATTERN_LENGTH, MAX_FILTERS } from '../../../src/shared/statistics.ts'
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { panelLabels } from './panel-labels.ts'

export interface TrafficFilter {
  name: PanelName
  /** `*` matches any text, `\*` a literal asterisk. */
  pattern: string
}

export const isPanelName = (text: string): text is PanelName => Object.hasOwn(panelLabels, text)

/** Skips filters that the server would reject, so that the page shows the rest instead of an error. */
export function parseUrlFilters(texts: readonly string[]): TrafficFilter[] {
  const filters = texts.flatMap((text) => {
    const colon = text.indexOf(':')
    const [name, pattern] = [text.slice(0, Math.max(0, colon)), text.slice(colon + 1)]
    return isPanelName(name) && pattern !== '' && pattern.length <= MAX_FILTER_PATTERN_LENGTH ? [{ name, pattern }] : []
  })
  return filters.slice(0, MAX_FILTERS)
}

export const formatFilter = ({ name, pattern }: TrafficFilter) => `${name}:${pattern}`

/**
 * Creates a filter that matches exactly this value. A value that is too long for a pattern is cut off, and the filter
 * matches its beginning.
 */
export function createFilter(name: PanelName, value: string): TrafficFilter {
  const pattern = value.replace(/[*\\]/g, '\\$&')
  if (pattern.length <= MAX_FILTER_PATTERN_LENGTH) return { name, pattern }
  // The cut may split an escape sequence or a surrogate pair. Remove the first half from the end of the pattern.
  const cutPattern = pattern.slice(0, MAX_FILTER_PATTERN_LENGTH - 1).replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
  return { name, pattern: `${cutPattern.toWellFormed().replace(/\ufffd$/, '')}*` }
}

const isSameFilter = (one: TrafficFilter, other: TrafficFilter) =>
  one.name === other.name && one.pattern === other.pattern

export const hasFilter = (filters: readonly TrafficFilter[], filter: TrafficFilter) =>
  filters.some((one) => isSameFilter(one, filter))

export function toggleFilter(filters: readonly TrafficFilter[], filter: TrafficFilter): TrafficFilter[] {
  const others = filters.filter((one) => !isSameFilter(one, filter))
  return others.length < filters.length ? others : [...others, filter].slice(-MAX_FILTERS)
}

/** The pattern as users read it, without the backslashes that createFilter added. */
export const unescapePattern = ({ pattern }: TrafficFilter) => pattern.replace(/\\([*\\])/g, '$1')
