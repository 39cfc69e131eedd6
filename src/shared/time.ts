/** Lengths of time. Days are of 24 hours; local days of 23 or 25 hours are the business of `lib/local-day.ts`. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const DAY_SECONDS = 24 * 60 * 60
