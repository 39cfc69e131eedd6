/** The figures of an alert about a traffic spike, as stored with the alert and as sent to webhooks. */
export interface SpikeDetails {
  /** Visits begun since `since`. */
  visits: number
  /** How many visits are usual in this time. */
  expected: number
  /** How many times as many as usual. null if nothing is expected at this time. */
  factor: number | null
  /** The source with the most visits. null if most visits have none. */
  source: string | null
  source_visits: number | null
  /** RFC 3339 */
  since: string
}
