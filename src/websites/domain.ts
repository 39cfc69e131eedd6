/** Reduces the URL or host that a user enters to a website's domain or a host, and formats the website's tracking snippet. */
import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { getPublicSuffix, parse } from 'tldts'
import type { ParseResult } from '../lib/field-parser.ts'
import { foldCase } from '../lib/text.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'

const MAX_LABEL_LENGTH = 63

export interface ParsedDomain {
  /** Lower case, Punycode, without `www.`. */
  domain: string
  /** The Unicode form, for searching; null if it equals `domain`. */
  unicode: string | null
}

/** A domain contains no characters that need escaping in HTML. */
export function formatTrackingSnippet(baseUrl: string, domain: string): string {
  return `<script defer src="${baseUrl}/b.js" data-domain="${domain}"></script>`
}

export function parseDomain(text: string): ParseResult<ParsedDomain> {
  const host = parseHostName(text)
  if (typeof host !== 'string') return host
  const domain = removeWww(host)
  const error = findError(domain)
  if (error !== undefined) return invalidBecause(error)
  const unicode = domainToUnicode(domain)
  return { value: { domain, unicode: unicode === domain ? null : foldCase(unicode) } }
}

/**
 * Parses the domain of a new website. Rejects names of files such as `robots.txt`. Existing websites with such a name
 * keep working.
 */
export function parseNewDomain(text: string): ParseResult<ParsedDomain> {
  const result = parseDomain(text)
  if ('errors' in result) return result
  const extension = findFileExtension(result.value.domain)
  if (extension === undefined) return result
  return invalidBecause(
    `must be a domain such as example.com, not a file name: .${extension} is not a top-level domain`,
  )
}

/** Parses the host of a URL or a host alone. Keeps `www.`, unlike `parseDomain`, because the result must equal a Host header. */
export function parsePublicHost(text: string): ParseResult<string> {
  const host = parseHostName(text)
  if (typeof host !== 'string') return host
  const error = findError(host)
  return error === undefined ? { value: host } : invalidBecause(error)
}

const invalidBecause = (error: string) => ({ errors: [error] })
const notADomain = invalidBecause('must be a domain such as example.com')

/** Returns the name of a host without a trailing dot. Its characters and length are not checked yet. */
function parseHostName(text: string): string | { errors: string[] } {
  const host = parseHost(text.trim())
  if (typeof host !== 'string') return host
  if (isIP(host) !== 0) return invalidBecause('must be a name, not an IP address')
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** The URL parser converts to lower case and Punycode, removes the port, and recognizes IPv4 addresses written as numbers. */
function parseHost(text: string): string | { errors: string[] } {
  if (text === '') return invalidBecause('must not be empty')
  // The URL parser would silently drop tabs and line breaks.
  if (/\s/.test(text)) return invalidBecause('must not contain spaces')
  if (isIP(text) !== 0) return text
  const isUrl = /^https?:\/\//i.test(text)
  if (!isUrl && /:\/\/|^\w+:[/\\]/.test(text)) return invalidBecause('must be a domain, or an http or https URL')
  const textWithoutSlashes = text.replace(/^\/\//, '')
  // In a URL the part before @ is a user name; without a scheme, the text is an email address.
  if (!isUrl && /^[^/?#]*@/.test(textWithoutSlashes)) return notADomain
  const host = URL.parse(isUrl ? text : `http://${textWithoutSlashes}`)?.hostname
  if (host === undefined || host === '') return notADomain
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** Removes every leading `www.`, so that parsing the result again changes nothing. But www.com stays, because com isn't a valid domain. */
function removeWww(host: string): string {
  const shortenedHost = host.slice('www.'.length)
  return host.startsWith('www.') && findError(shortenedHost) === undefined ? removeWww(shortenedHost) : host
}

function findError(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN_LENGTH) return `must have at most ${MAX_DOMAIN_LENGTH} characters`
  const labels = domain.split('.')
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    return `must have at most ${MAX_LABEL_LENGTH} characters between two dots`
  }
  if (!labels.every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label) && !isInvalidPunycode(label))) {
    return 'must be a domain such as example.com, with letters, digits and hyphens'
  }
  if (domain === 'localhost') return undefined
  if (labels.length < 2) return 'must have at least two parts, such as example.com'
  // Only suffixes of domain registries are rejected: github.io can be a website, co.uk can't.
  if (getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain) {
    return 'must not be a public suffix; add a name before it'
  }
  return undefined
}

function isInvalidPunycode(label: string): boolean {
  return label.startsWith('xn--') && domainToUnicode(label) === label
}

/**
 * The statistics page of a website is at `/<domain>`, where clients also look for files.
 * These are extensions of files that browsers, crawlers and scanners request at the root of a server.
 */
const fileExtensions: ReadonlySet<string> = new Set(
  [
    'asp aspx atom bak cfg cgi cjs conf config css csv dll doc docx env exe gz htm html ini js json jsp log mjs',
    'pdf php rar rdf rss shtml sql tar tgz txt wasm webmanifest xhtml xml xsl yaml yml',
    'avif bmp eot gif ico jpeg jpg mp3 mp4 ogg otf png svg svgz swf tif tiff ttf wav webm webp woff woff2',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Returns the extension of a file name such as `robots.txt`, but not of `example.zip`, because zip is a top-level
 * domain. If one of our extensions becomes a top-level domain, this treats it as one as soon as the list of public
 * suffixes contains it.
 */
function findFileExtension(domain: string): string | undefined {
  const extension = domain.slice(domain.lastIndexOf('.') + 1)
  if (!domain.includes('.') || !fileExtensions.has(extension)) return undefined
  const isTopLevelDomain = parse(domain, { allowPrivateDomains: false, extractHostname: false }).isIcann === true
  return isTopLevelDomain ? undefined : extension
}
