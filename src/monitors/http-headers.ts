/** The headers that a check sends. */

import type { ParseResult } from '../lib/field-parser.ts'
import { secretHint } from '../lib/text.ts'

type Headers = Record<string, string>

const NAME_MOST = 100
const VALUE_MOST = 4_096

/** A token of RFC 9110; but not the one that JavaScript finds in every object. */
const namePattern = /^(?!__proto__$)[\w!#$%&'*+.^`|~-]+$/
/** Visible characters, spaces and tabs. Anything else would end the header, or be refused by Node. */
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/

/** They say how the message is framed, which is for whoever sends it to say. */
const ours = new Set([
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

/** `current`: a value that equals what is shown of it was read from us and sent back, and stays. */
export function readHeaders(sent: Headers, current: Headers): ParseResult<Headers> {
  const faults = Object.entries(sent).flatMap(([name, value]) => faultsOf(name, value))
  const names = Object.keys(sent).map((name) => name.toLowerCase())
  const twice = names.find((name, place) => names.indexOf(name) !== place)
  if (twice !== undefined) faults.push(`must not repeat ${twice}`)
  if (faults.length > 0) return { faults }
  return { value: Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, kept(name, value, current)])) }
}

function kept(name: string, value: string, current: Headers): string {
  const stored = Object.entries(current).find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1]
  return stored !== undefined && value === secretHint(stored) ? stored : value.trim()
}

function faultsOf(name: string, value: string): string[] {
  if (!namePattern.test(name) || name.length > NAME_MOST) {
    return [`must have names of letters, digits and hyphens, at most ${NAME_MOST} characters`]
  }
  if (ours.has(name.toLowerCase())) return [`must not contain ${name}: the check sets it itself`]
  if (value.length > VALUE_MOST) return [`must have at most ${VALUE_MOST} characters in ${name}`]
  return valuePattern.test(value) ? [] : [`must have no line breaks or other special characters in ${name}`]
}

export function headerHints(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHint(value)]))
}
