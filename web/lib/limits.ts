/** As the server has them, in characters: a browser can say so before anything is sent. */
export const PASSWORD_LEAST = 10
export const PASSWORD_MOST = 200
