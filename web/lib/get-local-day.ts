import { MINUTE_MS } from '../../src/shared/time.ts'

/**
 * The calendar day in the browser's time zone, such as 2026-01-05. `toLocaleDateString` would create an Intl format for
 * each call, which takes too long in a list of thousands of rows.
 */
export const getLocalDay = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 10)
