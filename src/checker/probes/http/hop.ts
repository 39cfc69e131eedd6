/** What is asked of one server, and where it goes from there. */
import { withoutBrackets } from '../../../lib/web-address.ts'
import type { HttpTarget } from '../probe.ts'

export interface Hop {
  url: URL
  /** A name, or an address without brackets. */
  host: string
  port: number
  method: string
  /** What the monitor's owner set: only for the origin that they gave it to. */
  headers: Readonly<Record<string, string>>
  body: string | null
}

const MOST_REDIRECTS = 5

const redirects = new Set([301, 302, 303, 307, 308])
const aboutTheBody = /^content-/i
const none: Readonly<Record<string, string>> = Object.freeze({})

export function firstHop(target: HttpTarget): Hop {
  const { method, headers, body } = target.http
  return hopTo(new URL(target.url), method, headers, body)
}

function hopTo(url: URL, method: string, headers: Hop['headers'], body: string | null): Hop {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url, host: withoutBrackets(url.hostname), port, method, headers, body }
}

export function isRedirect(status: number): boolean {
  return redirects.has(status)
}

/** Where a redirect leads, or what is wrong with it. `followed`: how many there were before. */
export function nextHop(hop: Hop, status: number, location: string | undefined, followed: number): Hop | string {
  if (followed >= MOST_REDIRECTS) return `redirected more than ${MOST_REDIRECTS} times`
  if (location === undefined) return `answered ${status} without saying where to go`
  const url = URL.parse(readBytes(location), hop.url)
  if (url === null) return `answered ${status} with an address that cannot be read`
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `redirected to an address of ${url.protocol.slice(0, -1)}, which is neither http nor https`
  }
  url.username = ''
  url.password = ''
  const headers = url.origin === hop.url.origin ? hop.headers : none
  if (turnsToGet(hop.method, status)) return hopTo(url, 'GET', withoutBody(headers), null)
  return hopTo(url, hop.method, headers, hop.body)
}

function turnsToGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST' && (status === 301 || status === 302)
}

function withoutBody(headers: Hop['headers']): Hop['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !aboutTheBody.test(name)))
}

/** Node hands out a header byte by byte; addresses that are not escaped come as UTF-8. */
function readBytes(location: string): string {
  return Buffer.from(location, 'latin1').toString('utf8')
}
