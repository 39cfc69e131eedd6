/** Limits for what a page shows besides its monitors. */

/** Incidents and posts are shown until this many days after they were resolved. */
export const RECENT_DAYS = 30
/** Maintenances are shown from this many days before they begin. */
export const PLANNED_MAINTENANCE_DAYS = 14
export const MAX_SHOWN_INCIDENTS = 50
export const MAX_SHOWN_MAINTENANCES = 20
export const MAX_SHOWN_POSTS = 50
/** The limit for the incidents, the maintenances and the posts of one month of the history. */
export const MAX_HISTORY_ENTRIES = 200
/**
 * The limit for all posts of a page together. Each update can have 10,000 characters, so a page has at most a few
 * megabytes.
 */
export const MAX_SHOWN_UPDATES = 500
