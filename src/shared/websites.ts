/** Values and limits of websites that both the server and the pages use. */

/** Who can see a website's statistics: everyone, its owner, or people with the website's password. */
export const PRIVACY = { public: 0, private: 1, password: 2 } as const
export type Privacy = (typeof PRIVACY)[keyof typeof PRIVACY]

/** Lengths in characters. Input can be longer than a domain, because users can also type a URL. */
export const MAX_DOMAIN_LENGTH = 253
export const MAX_DOMAIN_INPUT_LENGTH = 2_048

/** A user sets how many false alarms a year about stopped visits are acceptable, for all their websites together. */
export const MIN_SILENCE_ALARMS_A_YEAR = 0.1
export const MAX_SILENCE_ALARMS_A_YEAR = 12
export const DEFAULT_SILENCE_ALARMS_A_YEAR = 1

/** How many dates `quiet_days` can have. */
export const MAX_QUIET_DAYS = 366

/** How many lines `exclude_params` and `exclude_ips` can each have. */
export const MAX_EXCLUSION_LINES = 100
