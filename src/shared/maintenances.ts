/** Values and limits of maintenances that both the server and the pages use. */
export const maintenanceStates = ['active', 'scheduled', 'past'] as const
export type MaintenanceState = (typeof maintenanceStates)[number]

export const MAX_MAINTENANCE_TITLE_LENGTH = 100
export const MAX_MAINTENANCE_NOTE_LENGTH = 1_000
/** The maximum length of one window: a leap year. */
export const MAX_WINDOW_SECONDS = 31_622_400
export const MIN_RECURRING_WINDOW_SECONDS = 60
/** A maintenance must begin within this many years. */
export const MAX_YEARS_AHEAD = 10
/**
 * The limit per user. Maintenances that have ended don't count, so a script that creates one for every deployment never
 * reaches the limit.
 */
export const MAX_OPEN_MAINTENANCES = 1_000
