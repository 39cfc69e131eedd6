/** Which statuses are fine: numbers and ranges with commas between. */
import type { ParseResult } from '../lib/field-parser.ts'

const LOWEST = 100
const HIGHEST = 599

export function readExpectedStatus(text: string): ParseResult<string> {
  const parts = text.split(',').map((part) => part.trim().replace(/\s*-\s*/, '-'))
  return parts.every(isRange)
    ? { value: parts.join(',') }
    : { faults: [`must be statuses from ${LOWEST} to ${HIGHEST}, such as 200-299,301`] }
}

function isRange(part: string): boolean {
  const [, from, to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(part) ?? []
  return from !== undefined && Number(from) >= LOWEST && Number(from) <= Number(to) && Number(to) <= HIGHEST
}
