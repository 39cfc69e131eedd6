/** How long a session lasts without being used: 30 days. */
export const SESSION_SECONDS = 30 * 86_400
