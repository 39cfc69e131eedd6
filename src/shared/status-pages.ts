/** Values and limits of status pages that both the server and the pages use. */

export const statusPageThemes = ['auto', 'light', 'dark'] as const
export type StatusPageTheme = (typeof statusPageThemes)[number]

/** The states in the order in which an outage usually goes through them. */
export const postStates = ['investigating', 'identified', 'monitoring', 'resolved'] as const
export type PostState = (typeof postStates)[number]

export const subscriberStates = ['pending', 'confirmed', 'bounced'] as const
export type SubscriberState = (typeof subscriberStates)[number]

/** The state of a monitor as a status page shows it. */
export const publicMonitorStates = ['up', 'down', 'maintenance', 'pending', 'paused'] as const
export type PublicMonitorState = (typeof publicMonitorStates)[number]

/**
 * The state of a whole page. `incident`: no monitor is down, but a post is not resolved yet. `unknown`: all monitors are
 * paused or pending.
 */
export const overallStates = ['up', 'partly_down', 'down', 'incident', 'maintenance', 'unknown'] as const
export type OverallState = (typeof overallStates)[number]

/** A slug has letters from a to z, digits and inner hyphens. */
export const SLUG_PATTERN = '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$'
export const MIN_SLUG_LENGTH = 3
export const MAX_SLUG_LENGTH = 50

export const MAX_PAGE_TITLE_LENGTH = 100
export const MAX_PAGE_DESCRIPTION_LENGTH = 500
export const MAX_GROUP_NAME_LENGTH = 100
export const MAX_LABEL_LENGTH = 100
export const MAX_POST_TITLE_LENGTH = 200
export const MAX_POST_BODY_LENGTH = 10_000
export const MAX_TEMPLATE_NAME_LENGTH = 100

export const MAX_STATUS_PAGES = 100
export const MAX_GROUPS = 50
/** The maximum number of monitors on one page, in all groups together. */
export const MAX_PAGE_MONITORS = 500
export const MAX_POST_TEMPLATES = 100
export const MAX_UPDATES_PER_POST = 200
/**
 * Counts only confirmed subscribers, so that nobody can fill the list with addresses of others. Storing a post and its
 * messages to this many subscribers takes 0.8 s. By default, a request can wait 4 s for the database.
 */
export const MAX_SUBSCRIBERS_PER_PAGE = 20_000
export const MAX_LOGO_BYTES = 200_000

/** How many daily bars each monitor has. */
export const STATUS_PAGE_DAYS = 90
