/** Parses the body that trackers send: Plausible's event format, with long or short field names, plus a few additional fields. */
import { findJsonExcess, type JsonLimits } from '../../lib/json-limits.ts'
import { Problem } from '../../lib/problem.ts'
import { DAY_MS } from '../../shared/time.ts'

const MAX_EVENT_NAME_LENGTH = 120
/**
 * Events with a longer URL are refused, although browsers allow longer URLs. `formatPage` stores only the beginning of
 * long URLs.
 */
const MAX_URL_LENGTH = 10_000
const MAX_DOMAIN_LIST_LENGTH = 2_000
/** Unknown fields are ignored. These limits keep a body with very many of them from taking long to parse. */
const jsonLimits: JsonLimits = { fields: 1_000, entries: 1_000, values: 10_000, levels: 100 }
/** Pages rarely report to more than one website. */
const MAX_DOMAINS = 3
const MAX_EVENT_ID_LENGTH = 64
const MAX_PROPS = 30
const MAX_PROP_NAME_LENGTH = 300
const MAX_PROP_VALUE_LENGTH = 2_000
/** Total length of all properties as JSON. */
const MAX_PROPS_LENGTH = 8_000

export interface SentEvent {
  name: string
  url: URL
  /** A page can count for several websites. */
  domains: string[]
  /** A second event with the same id within ten minutes is not counted. */
  id: string | undefined
  referrer: string | undefined
  /** A JSON object. */
  props: string | undefined
  /**
   * A passive event is not an interaction. A visit is a bounce if it has at most one page view and all its other events
   * are passive.
   */
  isPassive: boolean
  /** Whether the part of the URL after # is stored as a part of the page. */
  keepsHash: boolean
  engagedMs: number
  resolution: unknown
  /** The browser reports that a program controls it. */
  isAutomated: boolean
}

const malformedProblem = (detail: string) => new Problem('malformed_request', detail)

type Body = Record<string, unknown>

export function parseEventBody(text: unknown): SentEvent {
  const excessText = typeof text === 'string' ? findJsonExcess(text, jsonLimits) : undefined
  if (excessText !== undefined) throw malformedProblem(excessText)
  const body = typeof text === 'string' ? tryParseJson(text) : undefined
  if (body === undefined) throw malformedProblem('The body is not valid JSON.')
  if (!isObject(body)) throw malformedProblem('The body must be a JSON object.')
  const name = readText(body, ['name', 'n'], MAX_EVENT_NAME_LENGTH)
  const url = parseUrl(readText(body, ['url', 'u'], MAX_URL_LENGTH))
  return {
    name,
    url,
    domains: parseDomains(readDomain(body, url)),
    id: readEventId(body),
    referrer: readReferrer(body),
    props: parseProps(readField(body, ['props', 'p', 'meta', 'm'])),
    isPassive: readField(body, ['interactive', 'i']) === false,
    keepsHash: [1, true].includes(readField(body, ['hashMode', 'h']) as number | boolean),
    engagedMs: parseMilliseconds(body['e']),
    resolution: body['s'],
    isAutomated: body['b'] === 1,
  }
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns undefined if the text is not valid JSON. */
function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns the first field of `names` that the body has, even if its value is null. */
function readField(body: Body, names: readonly string[]): unknown {
  const name = names.find((name) => Object.hasOwn(body, name))
  return name === undefined ? undefined : body[name]
}

function readText(body: Body, names: readonly [string, string], maxLength: number): string {
  const field = readField(body, names)
  // On pages that are not found, some trackers send the number 404 as the name.
  const value = typeof field === 'number' && names[0] === 'name' ? String(field) : field
  const label = `\`${names[0]}\` (or \`${names[1]}\`)`
  if (value === undefined) throw malformedProblem(`${label} is required.`)
  if (typeof value !== 'string') throw malformedProblem(`${label} must be a string.`)
  const text = removeUnstorableCharacters(value).trim()
  if (text === '') throw malformedProblem(`${label} must not be empty.`)
  if (text.length > maxLength) throw malformedProblem(`${label} must have at most ${maxLength} characters.`)
  return text
}

function parseDomains(text: string): string[] {
  const domains = [...new Set(text.split(',').map((domain) => domain.trim().toLowerCase()))]
  if (domains.length > MAX_DOMAINS)
    throw malformedProblem(`\`domain\` (or \`d\`) must have at most ${MAX_DOMAINS} domains.`)
  return domains
}

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
function removeUnstorableCharacters(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * URLs with these two schemes contain the page itself instead of its address. Other schemes are accepted, because apps, browser
 * extensions and files use them.
 */
const refusedSchemes = ['data:', 'javascript:']

function parseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null) throw malformedProblem('`url` (or `u`) must be an absolute URL.')
  if (refusedSchemes.includes(url.protocol))
    throw malformedProblem(`\`url\` (or \`u\`) must not be a \`${url.protocol}\` URL.`)
  return url
}

/** An event without a domain belongs to the website of its page. */
function readDomain(body: Body, { hostname }: URL): string {
  if (hostname !== '' && (readField(body, ['domain', 'd']) ?? undefined) === undefined) return hostname
  return readText(body, ['domain', 'd'], MAX_DOMAIN_LIST_LENGTH)
}

/**
 * Refuses an id that can't be used. If we ignored it, a repeated event would count twice, and the client would not notice.
 * Plausible's clients send no ids.
 */
function readEventId({ id }: Body): string | undefined {
  if (id === undefined || id === null) return undefined
  const text = typeof id === 'number' ? String(id) : id
  if (typeof text !== 'string') throw malformedProblem('`id` must be a string or a number.')
  if (text === '') throw malformedProblem('`id` must not be empty.')
  if (text.length > MAX_EVENT_ID_LENGTH)
    throw malformedProblem(`\`id\` must have at most ${MAX_EVENT_ID_LENGTH} characters.`)
  return text
}

function readReferrer(body: Body): string | undefined {
  const value = readField(body, ['referrer', 'r']) ?? undefined
  if (value !== undefined && typeof value !== 'string') {
    throw malformedProblem('`referrer` (or `r`) must be a string or null.')
  }
  return value
}

/**
 * Invalid properties are ignored, because the event is worth counting without them. If there are too many, the first
 * ones are kept.
 */
function parseProps(value: unknown): string | undefined {
  const isText = typeof value === 'string'
  if (isText && findJsonExcess(value, jsonLimits) !== undefined) return undefined
  const props = isText ? tryParseJson(value) : value
  if (!isObject(props)) return undefined
  const entries: [string, string][] = []
  let length = '{}'.length
  for (const [name, value] of Object.entries(props)) {
    const entry = readProp(name, value)
    if (entry === undefined) continue
    length += JSON.stringify(entry).length
    if (entries.length === MAX_PROPS || length > MAX_PROPS_LENGTH) break
    entries.push(entry)
  }
  return entries.length === 0 ? undefined : JSON.stringify(Object.fromEntries(entries))
}

/** Nested and blank values are ignored, because statistics cannot be grouped by them. */
function readProp(name: string, value: unknown): [string, string] | undefined {
  if (value === null || typeof value === 'object') return undefined
  const storableName = removeUnstorableCharacters(name).slice(0, MAX_PROP_NAME_LENGTH).toWellFormed()
  const storableValue = removeUnstorableCharacters(String(value)).slice(0, MAX_PROP_VALUE_LENGTH).toWellFormed()
  return storableName.trim() === '' || storableValue.trim() === '' ? undefined : [storableName, storableValue]
}

/** Returns 0 if the value is not a positive number. Values of more than a day become a day. */
function parseMilliseconds(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.round(value), DAY_MS) : 0
}
