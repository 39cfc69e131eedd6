/** Finds the tracker in the HTML of a page. */

/**
 * Our snippet and those of clients for Plausible have `data-domain`. Pages that load our script without it, or send events
 * themselves, name the script or the collector. A tag manager loads the tracker without a trace in the page. All patterns take time
 * proportional to the length of the page, so nobody can make a page that takes long to search.
 */
const trackerPatterns: readonly RegExp[] = [
  /\bdata-domain\s{0,9}=/i,
  /\/b\.js\b/,
  /\/api\/event\b/,
  /\bplausible(?:\.io|\.init|\.js|-tracker|\s{0,9}[=(])/i,
  /\bbelfry\s{0,9}\(/,
  /googletagmanager\.com\/gtm\.js/,
  /\bcontainer_\w{4,20}\.js\b/,
]
const commentPattern = /<!--[\s\S]*?(?:-->|$)/g

/** A snippet in a comment doesn't run. */
export function hasTracker(html: string): boolean {
  const code = html.replace(commentPattern, '')
  return trackerPatterns.some((pattern) => pattern.test(code))
}
