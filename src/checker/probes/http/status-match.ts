/** Decides whether a status code is one that the monitor expects. */
import { BoundedMap } from '../../../lib/bounded-map.ts'

type StatusRange = readonly [from: number, to: number]

/** A cache: most monitors share a few settings, and parsing a setting takes longer than looking it up. */
const parsedRanges = new BoundedMap<string, StatusRange[]>(1_000)

/** `expected` has the format of the monitor's setting, such as `200-299,301`. */
export function isExpectedStatus(status: number, expected: string): boolean {
  let ranges = parsedRanges.get(expected)
  if (ranges === undefined) {
    ranges = expected.split(',').map(parseRange)
    parsedRanges.set(expected, ranges)
  }
  return ranges.some(([from, to]) => status >= from && status <= to)
}

function parseRange(text: string): StatusRange {
  const [from, to = from] = text.split('-').map(Number)
  return [from as number, to as number]
}

/** `200-299,301` → `200–299, 301` */
export function formatExpectedStatus(expected: string): string {
  return expected.replaceAll('-', '–').replaceAll(',', ', ')
}
