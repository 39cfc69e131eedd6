/** Questions about a part of the traffic: `page:/blog*`, `country:DE`. */
import { describeField, invalid } from '../../lib/problem.ts'
import { MAX_FILTER_PATTERN_LENGTH, MAX_FILTERS } from '../../shared/statistics.ts'
import { type PanelName, panelNames } from './schema.ts'

export interface StatisticsFilter {
  name: PanelName
  /** `*` stands for any text, `\*` for a star. */
  pattern: string
}

/** Those of one name are alternatives; those of different names hold together. */
export function parseFilters(texts: readonly string[]): StatisticsFilter[] {
  if (texts.length > MAX_FILTERS) throw wrong(`must be given at most ${MAX_FILTERS} times`)
  return texts.map((text) => {
    const [, name = '', pattern = ''] = /^([a-z_]+):(.*)$/s.exec(text) ?? []
    if (!(panelNames as readonly string[]).includes(name) || pattern === '') {
      throw wrong(`must be a name and a value, such as page:/blog* (names: ${panelNames.join(', ')})`)
    }
    if (pattern.length > MAX_FILTER_PATTERN_LENGTH)
      throw wrong(`must have at most ${MAX_FILTER_PATTERN_LENGTH} characters`)
    return { name: name as PanelName, pattern: pattern.replaceAll('\0', '').toWellFormed() }
  })
}

const wrong = (fault: string) => invalid({ filter: [describeField('filter', fault)] })

/** What stands between the stars. A backslash takes the star or backslash behind it to the letter. */
function partsOf(pattern: string): string[] {
  const parts = ['']
  for (const [token] of pattern.matchAll(/\\[*\\]|\*+|[^*\\]+|\\/g)) {
    if (token.startsWith('*')) parts.push('')
    else parts.push(`${parts.pop()}${/^\\[*\\]$/.test(token) ? token.slice(1) : token}`)
  }
  return parts
}

/** The pattern that fits this value and no other. */
export function escapePattern(value: string): string {
  return value.replace(/[*\\]/g, '\\$&')
}

/** As PostgreSQL's LIKE has it. */
export function toLikePattern(pattern: string): string {
  return partsOf(pattern)
    .map((part) => part.replace(/[\\%_]/g, '\\$&'))
    .join('%')
}

/** As here, for what is not in the database. One part after the other: an expression could be made to try for hours. */
export function createMatcher(pattern: string): (value: string) => boolean {
  const [first = '', ...others] = partsOf(pattern)
  const last = others.pop()
  if (last === undefined) return (value) => value === first
  return (value) => {
    if (!value.startsWith(first)) return false
    let at = first.length
    for (const part of others) {
      const found = value.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return value.length - last.length >= at && value.endsWith(last)
  }
}
