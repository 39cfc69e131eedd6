/** Parses what a website excludes from its statistics: URL parameters and IP addresses, one per line. */
import type { ParseResult } from '../lib/field-parser.ts'
import { toCanonicalRange } from '../lib/ip-range.ts'
import { MAX_EXCLUSION_LINES } from '../shared/websites.ts'

const MAX_PARAM_LENGTH = 200

export function parseIgnoredParams(text: string | null): ParseResult<string | null> {
  return parseLines(text, toCanonicalParam, 'a parameter name such as ref or utm_*, or * for all parameters')
}

export function parseExcludedIps(text: string | null): ParseResult<string | null> {
  return parseLines(text, toCanonicalRange, 'an IP address or CIDR range')
}

/** Drops blank lines and duplicates; an empty list becomes null. `toCanonical` returns undefined for an invalid line. */
function parseLines(
  text: string | null,
  toCanonical: (line: string) => string | undefined,
  expectedContent: string,
): ParseResult<string | null> {
  const entries = new Set<string>()
  const errors: string[] = []
  for (const [index, rawLine] of (text ?? '').split(/\r\n|\n|\r/).entries()) {
    const line = rawLine.trim()
    if (line === '') continue
    const entry = toCanonical(line)
    if (entry === undefined) errors.push(`line ${index + 1} is not ${expectedContent}`)
    else entries.add(entry)
    if (entries.size + errors.length > MAX_EXCLUSION_LINES) {
      return { errors: [`must have at most ${MAX_EXCLUSION_LINES} lines`] }
    }
  }
  if (errors.length > 0) return { errors }
  return { value: entries.size === 0 ? null : [...entries].join('\n') }
}

/**
 * A line `*` or `&` stands for all parameters. Other lines are case-sensitive names, which can end in `*` and can't contain the
 * separators of a query string.
 */
function toCanonicalParam(line: string): string | undefined {
  if (line === '*' || line === '&') return line
  return line.length <= MAX_PARAM_LENGTH && /^[^\s&=#?*]+\*?$/.test(line) ? line : undefined
}
