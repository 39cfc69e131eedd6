/** Limits and choices of statistics requests that the server enforces and the pages respect. */

/** How often the `filter` parameter may be repeated. */
export const MAX_FILTERS = 20
/** The maximum length of a pattern in characters. */
export const MAX_FILTER_PATTERN_LENGTH = 1_000
/** The longest range: about ten years. */
export const MAX_RANGE_DAYS = 3_660
/** The possible lengths of a slot of the series. */
export const seriesIntervals = ['hour', 'day', 'week', 'month'] as const
export type SeriesInterval = (typeof seriesIntervals)[number]
/** The longest range of an overview by hour. */
export const MAX_DAYS_BY_HOUR = 31
/** The period that statistics are compared with: the period just before, or the same dates one year earlier. */
export const comparedPeriods = ['previous', 'year'] as const
export type ComparedPeriod = (typeof comparedPeriods)[number]
