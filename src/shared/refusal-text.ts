/** The sentence that says why Belfry doesn't connect to an address. The server writes it, and pages find the host in it. */

/**
 * Checks store only the first 300 characters of a message. A complete host name, of up to 253 characters, would leave no
 * room for the name of the setting at the end.
 */
const MAX_SHOWN_HOST_LENGTH = 150

interface Refusal {
  host: string
  /** Whether the host is an address itself, so that naming it reveals nothing. */
  isAddress: boolean
  /** Such as "a loopback address". */
  kind: string
  /** Whether only an entry for this single address allows it. */
  needsOwnEntry: boolean
}

/** Names the host but not the address that it resolves to, so that strangers learn no internal addresses. */
export function formatRefusal({ host, isAddress, kind, needsOwnEntry }: Refusal): string {
  const shownHost = host.length > MAX_SHOWN_HOST_LENGTH ? `${host.slice(0, MAX_SHOWN_HOST_LENGTH)}…` : host
  const condition = needsOwnEntry ? 'lists that address' : isAddress ? `contains ${toSingleRange(host)}` : 'allows it'
  return `${shownHost} ${isAddress ? 'is' : 'resolves to'} ${kind}. Belfry connects to it only if BELFRY_PRIVATE_TARGETS ${condition}`
}

/** The CIDR range that contains only this address. */
export const toSingleRange = (address: string) => `${address}/${address.includes(':') ? 128 : 32}`

/** Returns undefined if the text isn't such a sentence, or if the host is too long to be shown completely. */
export function findRefusedHost(text: string): string | undefined {
  return /^([^\s…]+) (?:is|resolves to) an? .*\. Belfry connects to it only if BELFRY_PRIVATE_TARGETS /.exec(text)?.[1]
}
