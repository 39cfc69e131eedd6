/** Pages and their hosts as the statistics list them: readable, and of limited length. */

const MAX_PAGE_LENGTH = 1_000

/** Path and query, plus the fragment for websites whose tracker counts it. */
export function formatPage(url: URL, keepsHash: boolean): string {
  // URLs with other schemes than http and https may have no path.
  const path = url.pathname === '' ? '/' : url.pathname
  return decodeReadableEscapes(truncateUrl(path + url.search + (keepsHash ? url.hash : ''), MAX_PAGE_LENGTH))
}

/** The result never ends inside an escape: neither with `%C` nor with the first half of `%C3%A4`. */
export function truncateUrl(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  let end = maxLength
  const percent = text.lastIndexOf('%', end - 1)
  if (percent !== -1 && percent > end - 3) end = percent
  // UTF-8 continuation bytes start with the bits 10. A character has at most three of them.
  for (let count = 0; count < 3 && /^%[89ab]/i.test(text.slice(end, end + 2)) && end >= 3; count++) end -= 3
  const start = text.slice(0, end)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

/** Excludes separators and invisible characters, such as the marks that reverse the direction of text. */
const visibleTextPattern = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u

/** Turns `/caf%C3%A9` into `/café`, so that people can read and search it. ASCII escapes such as `%2F` stay. */
export function decodeReadableEscapes(url: string): string {
  if (!/%[89a-f]/i.test(url)) return url
  return url.replace(/(?:%[89a-f][\da-f])+/gi, (escapes) => {
    // URLSearchParams decodes without throwing. decodeURIComponent throws on invalid escapes, which takes 10 µs.
    const text = new URLSearchParams(`=${escapes}`).get('') ?? ''
    return visibleTextPattern.test(text) && !text.includes('\ufffd') ? text : escapes
  })
}

/** The longest name that DNS allows. */
const MAX_HOSTNAME_LENGTH = 253

/**
 * Returns the host that a page was loaded from. Takes the host of a parsed URL, which has no port and is in Punycode. `www.` stays,
 * because the host with `www.` can be down while the host without it is up. Returns undefined if there is no host, as in the URLs of
 * some apps, or if it is too long for DNS.
 */
export function formatHostname(host: string): string | undefined {
  const hostname = host.toLowerCase().replace(/\.$/, '')
  return hostname === '' || hostname.length > MAX_HOSTNAME_LENGTH ? undefined : hostname
}
