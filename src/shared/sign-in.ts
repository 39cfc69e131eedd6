/** Signing in, for the server and the pages. */

/** How a session was started. */
export const sessionMethods = ['password', 'passkey', 'single_sign_on', 'proxy', 'link'] as const
export type SessionMethod = (typeof sessionMethods)[number]

/** What can follow the password. */
export const secondFactorMethods = ['totp', 'recovery_code', 'passkey'] as const
export type SecondFactorMethod = (typeof secondFactorMethods)[number]

export const MAX_PASSKEY_NAME_LENGTH = 100

/** Without a password, some changes need a session that began at most this long ago. */
export const FRESH_SESSION_MINUTES = 10
