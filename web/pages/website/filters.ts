/** Parts of the traffic, as they stand in the address: `page:/blog*`. */
import type { PanelName } from '../../../src/traffic/stats/schema.ts'
import { panelWords } from './panel-labels.ts'

export interface Filter {
  name: PanelName
  /** `*` stands for any text, `\*` for a star. */
  pattern: string
}

/** As the server takes them. */
const FILTERS_MOST = 20
const PATTERN_MOST = 1_000

export const isPanel = (text: string): text is PanelName => Object.hasOwn(panelWords, text)

/** What the server would refuse is left out: the rest can be shown. */
export function readFilters(texts: readonly string[]): Filter[] {
  const found = texts.flatMap((text) => {
    const at = text.indexOf(':')
    const [name, pattern] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
    return isPanel(name) && pattern !== '' && pattern.length <= PATTERN_MOST ? [{ name, pattern }] : []
  })
  return found.slice(0, FILTERS_MOST)
}

export const filterText = ({ name, pattern }: Filter) => `${name}:${pattern}`

/** For this value alone; of one that is too long, for all that begin like it. */
export function filterOf(name: PanelName, value: string): Filter {
  const pattern = value.replace(/[*\\]/g, '\\$&')
  if (pattern.length <= PATTERN_MOST) return { name, pattern }
  const cut = pattern.slice(0, PATTERN_MOST - 1).replace(/(?<!\\)((?:\\\\)*)\\$/, '$1')
  return { name, pattern: `${cut.toWellFormed().replace(/\ufffd$/, '')}*` }
}

const isSame = (one: Filter, other: Filter) => one.name === other.name && one.pattern === other.pattern

export const hasFilter = (filters: readonly Filter[], filter: Filter) => filters.some((one) => isSame(one, filter))

/** In the address if it was not, and out of it if it was. */
export function toggleFilter(filters: readonly Filter[], filter: Filter): Filter[] {
  const others = filters.filter((one) => !isSame(one, filter))
  return others.length < filters.length ? others : [...others, filter].slice(-FILTERS_MOST)
}

/** The value that a filter was made of, for people. */
export const filteredValue = ({ pattern }: Filter) => pattern.replace(/\\([*\\])/g, '$1')
