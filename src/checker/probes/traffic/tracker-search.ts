/** Finds the tracker in the HTML of a page. */

/**
 * Our snippet and those of clients for Plausible have `data-domain`. Pages that load our script without it, or send events
 * themselves, name the script or the collector. A tag manager loads the tracker without a trace in the page. The repetitions have
 * limits, because a page may be made to take long to search.
 */
const trackerPatterns: readonly RegExp[] = [
  /\bdata-domain\s*=/i,
  /\bsrc\s*=\s*["']?[^"'\s>]{0,200}\/b\.js\b/i,
  /\/api\/event\b/,
  /\bplausible(?:\.io|\.init|\.js|-tracker|\s{0,9}[=(])/i,
  /\bbelfry\s{0,9}\(/,
  /googletagmanager\.com\/gtm\.js|\bmatomo[^"'\s]{0,200}\/container_/i,
]
const commentPattern = /<!--[\s\S]*?(?:-->|$)/g

/** A snippet in a comment doesn't run. */
export function hasTracker(html: string): boolean {
  const code = html.replace(commentPattern, '')
  return trackerPatterns.some((pattern) => pattern.test(code))
}
