/** Questions about a part of the traffic: `page:/blog*`, `country:DE`. */
import { invalid } from '../../lib/problem.ts'
import { type PanelName, panelNames } from './schema.ts'

export interface Filter {
  name: PanelName
  /** `*` stands for any text. */
  pattern: string
}

const FILTERS_MOST = 20
const PATTERN_MOST = 1_000

/** Those of one name are alternatives; those of different names hold together. */
export function parseFilters(texts: readonly string[]): Filter[] {
  if (texts.length > FILTERS_MOST) throw wrong(`must be given at most ${FILTERS_MOST} times`)
  return texts.map((text) => {
    const [, name = '', pattern = ''] = /^([a-z_]+):(.*)$/s.exec(text) ?? []
    if (!(panelNames as readonly string[]).includes(name) || pattern === '') {
      throw wrong(`must be a name and a value, such as page:/blog* (names: ${panelNames.join(', ')})`)
    }
    if (pattern.length > PATTERN_MOST) throw wrong(`must have at most ${PATTERN_MOST} characters`)
    return { name: name as PanelName, pattern: pattern.replaceAll('\0', '').toWellFormed() }
  })
}

const wrong = (fault: string) => invalid({ filter: [`The filter ${fault}.`] })

/** As PostgreSQL's LIKE has it. */
export function likeOf(pattern: string): string {
  return pattern.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%')
}

/** As here, for what is not in the database. */
export function matcherOf(pattern: string): (value: string) => boolean {
  const source = pattern
    .split('*')
    .map((part) => RegExp.escape(part))
    .join('.*')
  const expression = new RegExp(`^${source}$`, 's')
  return (value) => expression.test(value)
}
