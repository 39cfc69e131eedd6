/** What a tracker sends: the body of Plausible's events, in long names or short ones, and a few of our own. */
import { Problem } from '../../lib/problem.ts'

const NAME_MOST = 120
/** Browsers go further; what is kept of it is cut. */
const URL_MOST = 10_000
const DOMAIN_LIST_MOST = 2_000
/** More websites than one page counts for. */
const DOMAINS_MOST = 3
const PROPS_MOST = 30
const PROP_NAME_MOST = 300
const PROP_VALUE_MOST = 2_000
/** Of all of them together, as JSON. */
const PROPS_LENGTH_MOST = 8_000
const DAY_MS = 86_400_000

export interface SentEvent {
  name: string
  url: URL
  /** Whose event it is. Several, where one page counts for several websites. */
  domains: string[]
  referrer: string | undefined
  /** A JSON object. */
  props: string | undefined
  isPassive: boolean
  keepsHash: boolean
  engagedMs: number
  resolution: unknown
  /** The browser says that a program drives it. */
  isDriven: boolean
}

const wrong = (detail: string) => new Problem('malformed_request', detail)

type Body = Record<string, unknown>

export function readEvent(text: unknown): SentEvent {
  const body = parse(text, 'The body is not valid JSON.')
  if (!isObject(body)) throw wrong('The body must be a JSON object.')
  return {
    name: readText(body, ['name', 'n'], NAME_MOST),
    url: readUrl(readText(body, ['url', 'u'], URL_MOST)),
    domains: readDomains(readText(body, ['domain', 'd'], DOMAIN_LIST_MOST)),
    referrer: readReferrer(body),
    props: readProps(fieldOf(body, ['props', 'p', 'meta', 'm'])),
    isPassive: fieldOf(body, ['interactive', 'i']) === false,
    keepsHash: [1, true].includes(fieldOf(body, ['hashMode', 'h']) as number | boolean),
    engagedMs: readMilliseconds(body['e']),
    resolution: body['s'],
    isDriven: body['b'] === 1,
  }
}

function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: unknown, otherwise: string): unknown {
  try {
    return JSON.parse(text as string)
  } catch {
    throw wrong(otherwise)
  }
}

/** The first that is there, even as null. */
function fieldOf(body: Body, names: readonly string[]): unknown {
  const name = names.find((name) => Object.hasOwn(body, name))
  return name === undefined ? undefined : body[name]
}

function readText(body: Body, names: readonly [string, string], most: number): string {
  const value = fieldOf(body, names)
  const label = `"${names[0]}" (or "${names[1]}")`
  if (typeof value !== 'string') throw wrong(`${label} is missing or no text.`)
  const text = clean(value).trim()
  if (text === '') throw wrong(`${label} must not be empty.`)
  if (text.length > most) throw wrong(`${label} must have at most ${most} characters.`)
  return text
}

function readDomains(text: string): string[] {
  const domains = [...new Set(text.split(',').map((domain) => domain.trim().toLowerCase()))]
  if (domains.length > DOMAINS_MOST) throw wrong(`"domain" (or "d") must name at most ${DOMAINS_MOST} websites.`)
  return domains
}

/** PostgreSQL knows no null characters, and nobody half ones. */
function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** `app:` is what some frameworks for phones say. */
function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^(https?|app):$/.test(url.protocol))
    throw wrong('"url" must be an absolute http or https address.')
  return url
}

function readReferrer(body: Body): string | undefined {
  const value = fieldOf(body, ['referrer', 'r']) ?? undefined
  if (value !== undefined && typeof value !== 'string') throw wrong('"referrer" must be a text or null.')
  return value
}

function readProps(sent: unknown): string | undefined {
  const props = typeof sent === 'string' && sent !== '' ? parse(sent, '"props" is not valid JSON.') : sent
  if (props === undefined || props === null || props === '') return undefined
  if (!isObject(props)) throw wrong('"props" must be an object.')
  const entries = Object.entries(props)
  if (entries.length > PROPS_MOST) throw wrong(`"props" must have at most ${PROPS_MOST} entries.`)
  // Only what can be counted by: texts, numbers and truths.
  const kept = entries.flatMap(([name, value]) =>
    value === null || typeof value === 'object'
      ? []
      : [[clean(name).slice(0, PROP_NAME_MOST), clean(String(value)).slice(0, PROP_VALUE_MOST).toWellFormed()]],
  )
  if (kept.length === 0) return undefined
  const text = JSON.stringify(Object.fromEntries(kept))
  if (text.length > PROPS_LENGTH_MOST) throw wrong(`"props" must have at most ${PROPS_LENGTH_MOST} characters in all.`)
  return text
}

function readMilliseconds(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.round(value), DAY_MS) : 0
}
