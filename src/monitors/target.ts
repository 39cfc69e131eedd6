/** Parses a monitor's target: a URL for type http, a host for type ping. */
import { isIP } from 'node:net'
import type { ParseResult } from '../lib/field-parser.ts'
import { hasStrayCharacters, isHostname, parseHttpUrl, removeBrackets } from '../lib/network-address.ts'
import type { MonitorType } from '../shared/monitors.ts'

export function parseTarget(text: string, type: MonitorType): ParseResult<string> {
  const target = text.trim()
  if (hasStrayCharacters(target)) return { errors: ['must not contain spaces or backslashes'] }
  return type === 'http' ? parseUrl(target) : parseHost(target)
}

/** Returns the text unchanged, because the URL parser would add slashes and escapes. */
function parseUrl(text: string): ParseResult<string> {
  const url = parseHttpUrl(text)
  if (url === 'login') return { errors: ['must not contain a user name or password: send them in a header instead'] }
  if (url === undefined) {
    return { errors: ['must be an http or https URL such as https://example.com/ for type http'] }
  }
  return { value: text }
}

const invalidHost = { errors: ['must be a host such as example.com or 203.0.113.7 for type ping, without a port'] }

/** Uses the URL parser, which converts names to lower case and punycode, and numbers such as 0x7f.1 to IP addresses. */
function parseHost(text: string): ParseResult<string> {
  if (isIP(text) === 6) return text.includes('%') ? invalidHost : { value: parseHostname(`http://[${text}]`) ?? text }
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)
  // The parser normalizes hosts only in URLs with well-known schemes, so other schemes are replaced with http.
  const host = parseHostname(isUrl ? text.replace(/^[^:]*/, 'http') : `http://${text}`)
  if (host === undefined || (!isUrl && /[:/?#@]/.test(text.replace(/^\[.*\]$/, '')))) return invalidHost
  return isHostname(host) ? { value: host } : invalidHost
}

function parseHostname(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname
  return hostname && removeBrackets(hostname)
}

/**
 * Returns the host in lower case and punycode, without a trailing dot. The overview uses it to find the monitor's
 * website.
 */
export function parseMonitorHost({ type, url }: { type: MonitorType; url: string }): string | undefined {
  return URL.parse(type === 'ping' ? `http://${url}` : url)?.hostname.replace(/\.$/, '')
}
