/** Durations. A day here always has 24 hours; `lib/local-day.ts` handles local days of 23 or 25 hours. */
export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const DAY_SECONDS = 24 * 60 * 60
