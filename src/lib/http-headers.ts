/** Custom headers of requests that users configure: of HTTP checks and of webhooks. */

import type { ParseResult } from './field-parser.ts'
import { createSecretHint } from './text.ts'

export type CustomHeaders = Record<string, string>

const MAX_HEADER_NAME_LENGTH = 100
const MAX_HEADER_VALUE_LENGTH = 4_096

/** A token as defined in RFC 9110. `__proto__` is excluded, because it would set the prototype of the object. */
const headerNamePattern = /^(?!__proto__$)[\w!#$%&'*+.^`|~-]+$/
/**
 * Visible characters of Latin-1, spaces and tabs. Line breaks would end the header, and Node rejects all other
 * characters.
 */
const headerValuePattern = /^[\t\x20-\x7e\x80-\xff]*$/

/** The HTTP client sets these headers, because they depend on how it sends the request. */
const reservedHeaderNames = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** API responses contain hints instead of header values. If a client sends a hint back, the stored value stays. */
export function parseHeaders(
  sentHeaders: CustomHeaders,
  currentHeaders: CustomHeaders,
  isReserved: (lowerCaseName: string) => boolean = () => false,
): ParseResult<CustomHeaders> {
  const errors = Object.entries(sentHeaders).flatMap(([name, value]) => listHeaderErrors(name, value, isReserved))
  const names = Object.keys(sentHeaders).map((name) => name.toLowerCase())
  const repeatedName = names.find((name, index) => names.indexOf(name) !== index)
  if (repeatedName !== undefined) errors.push(`must not contain ${repeatedName} more than once`)
  if (errors.length > 0) return { errors }
  return {
    value: Object.fromEntries(
      Object.entries(sentHeaders).map(([name, value]) => [
        name,
        replaceHintWithStoredValue(name, value, currentHeaders),
      ]),
    ),
  }
}

/** Returns the names of the sent headers that get their stored value, because the client sent only its hint. */
export function listStoredHeaders(sentHeaders: CustomHeaders, currentHeaders: CustomHeaders): string[] {
  return Object.entries(sentHeaders).flatMap(([name, value]) =>
    replaceHintWithStoredValue(name, value, currentHeaders) === value.trim() ? [] : [name],
  )
}

function replaceHintWithStoredValue(name: string, value: string, currentHeaders: CustomHeaders): string {
  const storedValue = Object.entries(currentHeaders).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
  return storedValue !== undefined && value === createSecretHint(storedValue) ? storedValue : value.trim()
}

function listHeaderErrors(name: string, value: string, isReserved: (lowerCaseName: string) => boolean): string[] {
  if (!headerNamePattern.test(name) || name.length > MAX_HEADER_NAME_LENGTH) {
    return [`must have names of at most ${MAX_HEADER_NAME_LENGTH} letters, digits and hyphens`]
  }
  if (reservedHeaderNames.has(name.toLowerCase()) || isReserved(name.toLowerCase())) {
    return [`must not contain ${name}: Belfry sets this header`]
  }
  if (value.length > MAX_HEADER_VALUE_LENGTH)
    return [`must have at most ${MAX_HEADER_VALUE_LENGTH} characters in ${name}`]
  return headerValuePattern.test(value) ? [] : [`must not have line breaks or control characters in ${name}`]
}

export function createHeaderHints(headers: CustomHeaders): CustomHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, createSecretHint(value)]))
}
