/** The relying party of passkeys: the website for which a browser creates and uses them. */
import { isIP } from 'node:net'
import { removeBrackets } from '../lib/network-address.ts'
import { Problem } from '../lib/problem.ts'

export interface RelyingParty {
  /** The host name of our pages. A browser offers a passkey only at this host. */
  id: string
  origin: string
}

/**
 * `pageOrigin` is where our pages belong, and `browserOrigin` where the browser shows them, if it says so. Throws where browsers don't
 * support passkeys.
 */
export function getRelyingParty(pageOrigin: string, browserOrigin: string | undefined): RelyingParty {
  const { hostname, origin, protocol } = new URL(pageOrigin)
  if (isIP(removeBrackets(hostname)) !== 0) {
    throw new Problem(
      'conflict',
      `Passkeys don't work at an IP address (${hostname}). Open Belfry at a host name with https, or at localhost.`,
    )
  }
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  if (protocol !== 'https:' && !isLocal) {
    throw new Problem('conflict', `Passkeys need https. Open Belfry at https://${hostname}.`)
  }
  if (browserOrigin !== undefined && browserOrigin !== origin) {
    throw new Problem('conflict', `Passkeys work only at ${origin}. Open Belfry there.`)
  }
  return { id: hostname, origin }
}

export function supportsPasskeys(pageOrigin: string, browserOrigin: string | undefined): boolean {
  try {
    getRelyingParty(pageOrigin, browserOrigin)
    return true
  } catch {
    return false
  }
}
