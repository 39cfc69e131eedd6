/** Links to the sign-in page name the page to open after signing in. */

export const isDomain = (text: string) => text.includes('.') || text === 'localhost'

/** Whether a page can be public. Without a session, all other pages show the sign-in form. */
export const isPublicPath = (path: string) => /^\/[^/]+$/.test(path) && isDomain(path.slice(1))

/** `path` is the current page, relative to the base path, with its query. */
export const buildSignInPath = (path: string) =>
  path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`

/**
 * Returns the URL to open after signing in at `/sign-in`. It is always part of this application, so that a link to the
 * sign-in page can't lead to another website. `baseUrl` ends with a slash.
 */
export function findUrlAfterSignIn(search: string, baseUrl: string): string {
  const next = new URLSearchParams(search).get('next')
  const url = next?.startsWith('/') ? URL.parse(`.${next}`, baseUrl) : null
  return url?.href.startsWith(baseUrl) ? url.href : baseUrl
}
