/** Filters such as `page:/blog*` and `country:DE`. */
import { formatFieldError, invalid } from '../../lib/problem.ts'
import { MAX_FILTER_PATTERN_LENGTH, MAX_FILTERS } from '../../shared/statistics.ts'
import { type PanelName, panelNames } from './schema.ts'

export interface StatisticsFilter {
  name: PanelName
  /** `*` matches any text; `\*` is a literal asterisk. */
  pattern: string
}

/** Filters with the same name are alternatives; filters with different names must all match. */
export function parseFilters(texts: readonly string[]): StatisticsFilter[] {
  if (texts.length > MAX_FILTERS) throw invalidFilter(`must not be repeated more than ${MAX_FILTERS} times`)
  return texts.map((text) => {
    const [, name = '', pattern = ''] = /^([a-z_]+):(.*)$/s.exec(text) ?? []
    if (!(panelNames as readonly string[]).includes(name) || pattern === '') {
      throw invalidFilter(`must be a name and a value, such as page:/blog* (names: ${panelNames.join(', ')})`)
    }
    if (pattern.length > MAX_FILTER_PATTERN_LENGTH) {
      throw invalidFilter(`must have at most ${MAX_FILTER_PATTERN_LENGTH} characters after the colon`)
    }
    return { name: name as PanelName, pattern: pattern.replaceAll('\0', '').toWellFormed() }
  })
}

const invalidFilter = (phrase: string) => invalid({ filter: [formatFieldError('filter', phrase)] })

/** Splits a pattern at its asterisks. A backslash makes the asterisk or backslash after it literal. */
function splitPattern(pattern: string): string[] {
  const parts = ['']
  for (const [token] of pattern.matchAll(/\\[*\\]|\*+|[^*\\]+|\\/g)) {
    if (token.startsWith('*')) parts.push('')
    else parts.push(`${parts.pop()}${/^\\[*\\]$/.test(token) ? token.slice(1) : token}`)
  }
  return parts
}

/** Converts a pattern to the syntax of LIKE in PostgreSQL. */
export function toLikePattern(pattern: string): string {
  return splitPattern(pattern)
    .map((part) => part.replace(/[\\%_]/g, '\\$&'))
    .join('%')
}

/** The matcher looks for one part after the other. A regular expression could take hours on a hostile pattern. */
export function createMatcher(pattern: string): (value: string) => boolean {
  const [first = '', ...others] = splitPattern(pattern)
  const last = others.pop()
  if (last === undefined) return (value) => value === first
  return (value) => {
    if (!value.startsWith(first)) return false
    let offset = first.length
    for (const part of others) {
      const index = value.indexOf(part, offset)
      if (index === -1) return false
      offset = index + part.length
    }
    return value.length - last.length >= offset && value.endsWith(last)
  }
}
