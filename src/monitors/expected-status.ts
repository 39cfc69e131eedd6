/** Expected status codes: numbers and ranges, separated by commas. */
import type { ParseResult } from '../lib/field-parser.ts'

const MIN_STATUS = 100
const MAX_STATUS = 599

export function parseExpectedStatus(text: string): ParseResult<string> {
  const parts = text.split(',').map((part) => part.trim().replace(/\s*-\s*/, '-'))
  return parts.every(isRange)
    ? { value: parts.join(',') }
    : { errors: [`must be status codes from ${MIN_STATUS} to ${MAX_STATUS}, such as 200-299,301`] }
}

function isRange(part: string): boolean {
  const [, from, to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(part) ?? []
  return from !== undefined && Number(from) >= MIN_STATUS && Number(from) <= Number(to) && Number(to) <= MAX_STATUS
}
