/** Converts DNS records to one normal spelling, so that expected records can be compared with those of a response. */
import { isIPv4, isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import ipaddr from 'ipaddr.js'
import { removeBrackets } from '../lib/network-address.ts'
import type { DnsRecordType } from '../shared/monitors.ts'

interface RecordFormat {
  /** Returns undefined if the text is not a record of this type. */
  normalize(text: string): string | undefined
  example: string
}

export const dnsRecordFormats: Record<DnsRecordType, RecordFormat> = {
  A: { normalize: (text) => (isIPv4(text) ? text : undefined), example: '203.0.113.7' },
  AAAA: { normalize: normalizeIpv6, example: '2001:db8::7' },
  CNAME: { normalize: normalizeDnsName, example: 'shop.example.net' },
  MX: { normalize: (text) => normalizeFields(text, ['number', 'name']), example: '10 mail.example.com' },
  NS: { normalize: normalizeDnsName, example: 'ns1.example.net' },
  TXT: { normalize: normalizeText, example: 'v=spf1 -all' },
  SOA: {
    normalize: (text) => normalizeFields(text, ['name', 'name', 'number', 'number', 'number', 'number', 'number']),
    example: 'ns1.example.net hostmaster.example.com 2026010501 7200 3600 1209600 3600',
  },
  CAA: { normalize: normalizeCaa, example: '0 issue "letsencrypt.org"' },
  SRV: {
    normalize: (text) => normalizeFields(text, ['number', 'number', 'number', 'name']),
    example: '10 60 5060 sip.example.com',
  },
  PTR: { normalize: normalizeDnsName, example: 'mail.example.com' },
}

/** Converts a name to lower case and punycode, without the trailing dot. The root stays a single dot. */
export function normalizeDnsName(text: string): string | undefined {
  if (text === '.') return text
  const name = text.replace(/\.$/, '').toLowerCase()
  const asciiName = /^[\x21-\x7e]+$/.test(name) ? name : domainToASCII(name)
  return asciiName === '' || asciiName.length > 253 ? undefined : asciiName
}

/** Returns the DNS name of an address's PTR record, such as 7.113.0.203.in-addr.arpa. */
export function toReverseName(address: string): string {
  const bytes = ipaddr.parse(address).toByteArray()
  if (bytes.length === 4) return `${bytes.reverse().join('.')}.in-addr.arpa`
  const digits = Buffer.from(bytes).toString('hex')
  return `${[...digits].reverse().join('.')}.ip6.arpa`
}

function normalizeIpv6(text: string): string | undefined {
  if (!isIPv6(text) || text.includes('%')) return undefined
  return removeBrackets(new URL(`http://[${text}]`).hostname)
}

function normalizeFields(text: string, kinds: readonly ('number' | 'name')[]): string | undefined {
  const fields = text.trim().split(/\s+/)
  if (fields.length !== kinds.length) return undefined
  const normalizedFields = fields.map((field, n) =>
    kinds[n] === 'name' ? normalizeDnsName(field) : normalizeNumber(field),
  )
  return normalizedFields.includes(undefined) ? undefined : normalizedFields.join(' ')
}

const normalizeNumber = (text: string) => (/^\d{1,10}$/.test(text) ? String(Number(text)) : undefined)

/**
 * In zone files, the text of a record is in quotes. A long text consists of several quoted strings, which are joined
 * here.
 */
function normalizeText(text: string): string | undefined {
  const isQuoted = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/.test(text.trim())
  if (!isQuoted) return text
  const strings = text.trim().match(/"(?:[^"\\]|\\.)*"/g) ?? []
  return strings.map((string) => string.slice(1, -1).replace(/\\(.)/g, '$1')).join('')
}

function normalizeCaa(text: string): string | undefined {
  const [, flags, tag, value] = /^\s*(\d{1,3})\s+([a-z0-9]+)\s+(\S.*?)\s*$/i.exec(text) ?? []
  if (flags === undefined || tag === undefined || value === undefined || Number(flags) > 255) return undefined
  return `${Number(flags)} ${tag.toLowerCase()} "${value.replace(/^"(.*)"$/, '$1')}"`
}
