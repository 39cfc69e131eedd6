/** Limits that both the server and the pages apply, so that a form and its endpoint can't disagree. */

/** Characters. */
export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 200
