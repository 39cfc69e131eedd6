/** How long the password of an account may be, in characters. */
export const PASSWORD_LEAST = 10
export const PASSWORD_MOST = 200
