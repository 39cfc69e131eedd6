/** What is checked: an address for type http, a host for type ping. */
import { isIP } from 'node:net'
import type { ParseResult } from '../lib/field-parser.ts'
import { hasStrayCharacters, isHostname, parseHttpUrl, withoutBrackets } from '../lib/network-address.ts'
import type { MonitorType } from '../shared/monitors.ts'

export function readTarget(text: string, type: MonitorType): ParseResult<string> {
  const target = text.trim()
  if (hasStrayCharacters(target)) return { faults: ['must not contain spaces or backslashes'] }
  return type === 'http' ? readUrl(target) : readHost(target)
}

/** Kept as it was typed: the parser would add a slash here and an escape there. */
function readUrl(text: string): ParseResult<string> {
  const url = parseHttpUrl(text)
  if (url === 'login') return { faults: ['must not contain a name or password; send them in a header instead'] }
  if (url === undefined) {
    return { faults: ['must be an http or https address such as https://example.com/ for type http'] }
  }
  return { value: text }
}

const notAHost = { faults: ['must be a host such as example.com or 203.0.113.7 for type ping, without a port'] }

/** The parser of URLs does the rest: lower case, punycode, and numbers that are addresses in disguise. */
function readHost(text: string): ParseResult<string> {
  if (isIP(text) === 6) return text.includes('%') ? notAHost : { value: hostOf(`http://[${text}]`) ?? text }
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)
  // A URL of another scheme has a host all the same.
  const host = hostOf(isUrl ? text.replace(/^[^:]*/, 'http') : `http://${text}`)
  if (host === undefined || (!isUrl && /[:/?#@]/.test(text.replace(/^\[.*\]$/, '')))) return notAHost
  return isHostname(host) ? { value: host } : notAHost
}

function hostOf(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname
  return hostname && withoutBrackets(hostname)
}
