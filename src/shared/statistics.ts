/** Limits of statistics requests that the server enforces and the pages respect. */

/** How often the `filter` parameter may be repeated. */
export const MAX_FILTERS = 20
/** In characters. */
export const MAX_FILTER_PATTERN_LENGTH = 1_000
/** About ten years. */
export const MAX_RANGE_DAYS = 3_660
