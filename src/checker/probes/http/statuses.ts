/** Whether a status is one of those that a monitor expects. */
import { BoundedMap } from '../../../lib/bounded-map.ts'

type Span = readonly [from: number, to: number]

/** Most monitors share a few texts; parsing one takes longer than asking it. */
const parsed = new BoundedMap<string, Span[]>(1_000)

/** `expected` as monitors keep it: `200-299,301`. */
export function isExpected(status: number, expected: string): boolean {
  let spans = parsed.get(expected)
  if (spans === undefined) {
    spans = expected.split(',').map(parseSpan)
    parsed.set(expected, spans)
  }
  return spans.some(([from, to]) => status >= from && status <= to)
}

function parseSpan(text: string): Span {
  const [from, to = from] = text.split('-').map(Number)
  return [from as number, to as number]
}
