/** The host that a page was loaded from, as the statistics list it. */

/** The longest name that DNS allows. */
const MAX_HOSTNAME_LENGTH = 253

/**
 * Takes the host of a parsed URL, which has no port and is in Punycode. `www.` stays, because it can be down while the domain
 * without it is up. Returns undefined if there is no host, as in the URLs of some apps, or if it is too long for DNS.
 */
export function formatHostname(host: string): string | undefined {
  const hostname = host.toLowerCase().replace(/\.$/, '')
  return hostname === '' || hostname.length > MAX_HOSTNAME_LENGTH ? undefined : hostname
}
