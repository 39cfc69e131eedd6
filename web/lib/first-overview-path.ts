/** The request for the rows at the top of the overview. */
import { browserTimeZone } from './format.ts'

/**
 * No screen shows more rows than this. The server sends this many rows in less than half the time that it needs for
 * 10,000.
 */
const FIRST_ROWS = 100

export const firstOverviewPath = `api/overview?time_zone=${encodeURIComponent(browserTimeZone)}&limit=${FIRST_ROWS}`
