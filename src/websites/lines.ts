/** Lists that come as text, one entry a line. */
import type { ParseResult } from '../lib/field-parser.ts'
import { MAX_EXCLUSION_LINES } from '../shared/websites.ts'

/** Blank lines and repeats are dropped; an empty list is null. `canonical` says undefined of what is no entry. */
export function readLines(
  text: string | null,
  canonical: (line: string) => string | undefined,
  expected: string,
): ParseResult<string | null> {
  const entries = new Set<string>()
  const faults: string[] = []
  for (const [index, sent] of (text ?? '').split(/\r\n|\n|\r/).entries()) {
    const line = sent.trim()
    if (line === '') continue
    const entry = canonical(line)
    if (entry === undefined) faults.push(`line ${index + 1} is not ${expected}`)
    else entries.add(entry)
    if (entries.size + faults.length > MAX_EXCLUSION_LINES)
      return { faults: [`must have at most ${MAX_EXCLUSION_LINES} lines`] }
  }
  if (faults.length > 0) return { faults }
  return { value: entries.size === 0 ? null : [...entries].join('\n') }
}
