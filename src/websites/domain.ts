/** A website's name: the host of whatever somebody typed, in the one spelling under which it is kept. */
import { isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { getPublicSuffix } from 'tldts'
import { foldCase } from '../lib/text.ts'
import type { ParseResult } from '../lib/field-parser.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'

const MAX_LABEL_LENGTH = 63

export interface Domain {
  /** Lower case, punycode, without `www.`. */
  domain: string
  /** As people search for it, where that differs. */
  unicode: string | null
}

export function readDomain(text: string): ParseResult<Domain> {
  const host = hostOf(text.trim())
  if (typeof host !== 'string') return host
  if (isIP(host) !== 0) return refused('must be a name, not an IP address')
  const domain = withoutWww(host.endsWith('.') ? host.slice(0, -1) : host)
  const fault = faultOf(domain)
  if (fault !== undefined) return refused(fault)
  const unicode = domainToUnicode(domain)
  return { value: { domain, unicode: unicode === domain ? null : foldCase(unicode) } }
}

const refused = (fault: string) => ({ faults: [fault] })
const notADomain = refused('must be a domain such as example.com')

/** The parser of URLs does the rest: lower case, punycode, ports, and numbers that are addresses in disguise. */
function hostOf(text: string): string | { faults: string[] } {
  if (text === '') return refused('must not be empty')
  // It would drop tabs and line breaks without a word.
  if (/\s/.test(text)) return refused('must not contain spaces')
  if (isIP(text) !== 0) return text
  const isUrl = /^https?:\/\//i.test(text)
  if (!isUrl && /:\/\/|^\w+:[/\\]/.test(text)) return refused('must be a domain, or an http or https address')
  const bare = text.replace(/^\/\//, '')
  // In an address it would be a name to sign in with; without a scheme it is an e-mail address.
  if (!isUrl && /^[^/?#]*@/.test(bare)) return notADomain
  const host = URL.parse(isUrl ? text : `http://${bare}`)?.hostname
  if (host === undefined || host === '') return notADomain
  return host.startsWith('[') ? host.slice(1, -1) : host
}

/** As often as it stands there: what is kept reads as itself again. But www.com is a domain of its own. */
function withoutWww(host: string): string {
  const rest = host.slice('www.'.length)
  return host.startsWith('www.') && faultOf(rest) === undefined ? withoutWww(rest) : host
}

function faultOf(domain: string): string | undefined {
  if (domain.length > MAX_DOMAIN_LENGTH) return `must have at most ${MAX_DOMAIN_LENGTH} characters`
  const labels = domain.split('.')
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    return `must have at most ${MAX_LABEL_LENGTH} characters between two dots`
  }
  if (!labels.every((label) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label) && !isBrokenPunycode(label))) {
    return 'must be a domain such as example.com, of letters, digits and hyphens'
  }
  if (domain === 'localhost') return undefined
  if (labels.length < 2) return 'must have at least two parts, such as example.com'
  // Only suffixes under which registries sell names: github.io is a website, co.uk is none.
  if (getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain) {
    return 'must not be a public suffix: something has to stand before it'
  }
  return undefined
}

function isBrokenPunycode(label: string): boolean {
  return label.startsWith('xn--') && domainToUnicode(label) === label
}
