/** From where a URL can be reached, judged by its hostname. */

/** Sorted by how many people can reach the URL, fewest first. */
export const reaches = ['computer', 'network', 'internet'] as const
export type Reach = (typeof reaches)[number]

const loopbackPattern = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/
const privateAddressPattern =
  /^(10\.|192\.168\.|169\.254\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)[\d.]+$|^\[f(c|d|e[89ab])/
/** Names that aren't in the public DNS: those without a dot, and those under domains for private networks. */
const privateNamePattern = /^[^.:]+$|\.(local|localdomain|internal|intranet|lan|home|home\.arpa)$/

/** Whether a URL with this hostname leads only to programs on the same computer. */
export const isLoopbackHostname = (hostname: string) => loopbackPattern.test(hostname)

/** `hostname` is that of a URL, so it is in lower case, and IPv6 addresses have brackets. */
export function findReach(hostname: string): Reach {
  if (isLoopbackHostname(hostname)) return 'computer'
  return privateAddressPattern.test(hostname) || privateNamePattern.test(hostname) ? 'network' : 'internet'
}
