/** The figures of an alert about a traffic spike, as stored with the alert and as sent to webhooks. */
export interface SpikeDetails {
  /** The number of visits that began since `since`. */
  visits: number
  /** How many visits are usual in this period. */
  expected: number
  /** `visits` ÷ `expected`. null if almost no visits are expected. */
  factor: number | null
  /** The source with the most visits. null if direct visits, which have no source, outnumber those of any source. */
  source: string | null
  source_visits: number | null
  /** RFC 3339 */
  since: string
}

type FormatCount = (count: number) => string

/** "40", or "almost none": a rounded 0 would look like an error. */
export const describeExpectedVisits = ({ expected }: Pick<SpikeDetails, 'expected'>, formatCount: FormatCount) =>
  expected < 0.5 ? 'almost none' : formatCount(Math.round(expected))

/** "Most came from news.ycombinator.com (250)." undefined if there is no top source. */
export function describeTopSource(
  { visits, source, source_visits: count }: SpikeDetails,
  formatCount: FormatCount,
): string | undefined {
  if (source === null || count === null) return undefined
  const text = 2 * count > visits ? 'Most came from' : 'The top source is'
  return `${text} ${source} (${formatCount(count)}).`
}
