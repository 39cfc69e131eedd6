/** Limits that both the server and the pages apply, so that a form and its endpoint can't disagree. */

/** Lengths of fields, in characters. */
export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 200
export const MAX_EMAIL_LENGTH = 254
export const MAX_KEY_NAME_LENGTH = 100
export const MAX_CHANNEL_NAME_LENGTH = 100

/** How many custom headers a webhook can have. */
export const MAX_WEBHOOK_HEADERS = 20

/** How many monitors one request can pause, resume, delete or assign. */
export const MAX_MONITORS_PER_REQUEST = 1_000

/** How long the alerts of a notification channel can be delayed. */
export const MAX_DELAY_MINUTES = 1_440

/** How many entries one page of a list can have. */
export const MAX_USER_PAGE_SIZE = 1_000
export const MAX_INCIDENT_PAGE_SIZE = 1_000
export const MAX_ALERT_PAGE_SIZE = 100
export const MAX_ASSIGNMENT_PAGE_SIZE = 1_000

/** Values of `per_page` that lists of websites and panels of statistics accept. */
export const perPageSizes = [10, 25, 50, 100] as const
export const MAX_PER_PAGE = 100

/** A session ends after 30 days without use. */
export const SESSION_LIFETIME_SECONDS = 30 * 24 * 60 * 60

/** For how many monitors one request returns response times, which lists show as small line charts. */
export const MAX_RESPONSE_TIME_MONITORS = 100

export const MAX_TEAM_NAME_LENGTH = 100

export const MAX_KEY_ADDRESSES = 100
/** How many invitations of a team can be open at the same time. */
export const MAX_OPEN_INVITATIONS = 100

/** How long links work. */
export const INVITATION_LIFETIME_HOURS = 48
export const PASSWORD_RESET_LIFETIME_MINUTES = 30
export const EMAIL_CONFIRMATION_LIFETIME_HOURS = 24
