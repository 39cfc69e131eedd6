/** What a page shows besides its monitors. */

/** Resolved incidents and posts are shown for this long. */
export const RECENT_DAYS = 30
/** Maintenances are shown from this long before they begin. */
export const PLANNED_MAINTENANCE_DAYS = 14
export const MAX_SHOWN_INCIDENTS = 50
export const MAX_SHOWN_MAINTENANCES = 20
export const MAX_SHOWN_POSTS = 50
/** Of all posts together, newest first. Each can have 10,000 characters, so a page stays below a few megabytes. */
export const MAX_SHOWN_UPDATES = 500
