/** Parses a monitor's target: a URL for type http, a host, a host with a port, a name or a domain for other types. */
import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import type { ParseResult } from '../lib/field-parser.ts'
import {
  formatHostPort,
  hasStrayCharacters,
  isHostname,
  parseHostPort,
  parseHttpUrl,
  removeBrackets,
} from '../lib/network-address.ts'
import { findRdapServer } from '../rdap/servers.ts'
import { DEFAULT_TLS_PORT, type MonitorType } from '../shared/monitors.ts'

/** Users enter the targets of these types. Belfry creates the URLs of the other types. */
type ProbedType = Exclude<MonitorType, 'heartbeat' | 'traffic'>

/** `rdapUrl` is the RDAP server to ask about every domain, if the operator has set one. */
export function parseTarget(text: string, type: ProbedType, rdapUrl?: string | undefined): ParseResult<string> {
  const target = text.trim()
  if (hasStrayCharacters(target)) return { errors: ['must not contain spaces or backslashes'] }
  return targetParsers[type](target, rdapUrl)
}

const targetParsers: Record<ProbedType, (text: string, rdapUrl: string | undefined) => ParseResult<string>> = {
  http: parseUrl,
  ping: parseHost,
  tcp: (text) => parseEndpoint(text, 'tcp'),
  dns: parseName,
  tls: (text) => parseEndpoint(text, 'tls'),
  domain: parseDomain,
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

const endpointErrors = {
  tcp: ['must be a host and a port such as example.com:5432 for type tcp'],
  tls: ['must be a host, with or without a port, such as example.com or example.com:8443 for type tls'],
}

/** Type tcp needs a port. Type tls stores no port if it is 443. */
function parseEndpoint(text: string, type: 'tcp' | 'tls'): ParseResult<string> {
  const errors = { errors: endpointErrors[type] }
  const prefix = type === 'tcp' ? /^tcp:\/\//i : /^(https|tls):\/\//i
  const endpoint = parseHostPort(text.replace(prefix, '').replace(/\/$/, ''))
  if (endpoint === undefined || (type === 'tcp' && endpoint.port === undefined)) return errors
  const { port = DEFAULT_TLS_PORT } = endpoint
  const host = parseHost(endpoint.host)
  if ('errors' in host || port < 1 || port > 65_535) return errors
  return { value: type === 'tls' && port === DEFAULT_TLS_PORT ? host.value : formatHostPort(host.value, port) }
}

/** Names of DNS records may begin with an underscore, as in _sip._tcp.example.com. An IP address stands for its reverse name. */
function parseName(text: string): ParseResult<string> {
  if (isIP(text) !== 0 && !text.includes('%')) return parseHost(text)
  const name = parseHostname(`http://${text.replace(/\.$/, '')}`)
  const isValid = name !== undefined && isIP(name) === 0 && isHostname(name) && !/[:/?#@]/.test(text)
  return isValid ? { value: name } : { errors: ['must be a name such as example.com for type dns'] }
}

/**
 * Accepts only domains that can be registered at a registry: github.io, but not shop.github.io. The public suffix list
 * also contains private suffixes such as github.io. `getDomain` ignores them, because no registry knows the names below them.
 */
function parseDomain(text: string, rdapUrl: string | undefined): ParseResult<string> {
  const host = parseHost(text)
  if ('errors' in host) return { errors: ['must be a domain such as example.com for type domain'] }
  const name = host.value.replace(/\.$/, '')
  const domain = getDomain(name)
  if (domain === null) return { errors: [`must be a domain that can be registered: ${name} can't`] }
  if (domain !== name) return { errors: [`must be the registered domain: ${name} belongs to ${domain}`] }
  if (findRdapServer(domain, rdapUrl) !== undefined) return { value: domain }
  const registry = domain.slice(domain.lastIndexOf('.'))
  return { errors: [`can't be checked: the registry of ${registry} offers no RDAP`] }
}

function parseHostname(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname
  return hostname && removeBrackets(hostname)
}

/**
 * Returns the host in lower case and punycode, without a trailing dot, so that it can be compared with the domain of a
 * website. A heartbeat has no host.
 */
export function parseMonitorHost({ type, url }: { type: MonitorType; url: string }): string | undefined {
  return URL.parse(type === 'http' || type === 'traffic' ? url : `http://${url}`)?.hostname.replace(/\.$/, '')
}
