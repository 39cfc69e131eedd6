/** The environment, read once into one frozen Config. Nothing else reads process.env. */
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { StartupError } from './lib/startup-error.ts'
import { findTimeZone } from './lib/time-zone.ts'

export const roles = ['web', 'checker', 'worker'] as const
export type Role = (typeof roles)[number]

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export interface Config {
  readonly port: number
  readonly host: string
  /** `BELFRY_URL` without a slash at its end; unset, the request's host decides. */
  readonly url: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly roles: ReadonlySet<Role>
  readonly logLevel: LogLevel
  /** Requests a minute and caller; 0 is no limit. */
  readonly rateLimit: number
  readonly secret: string | undefined
  readonly admin: { readonly email: string; readonly password: string } | undefined
  readonly metricsToken: string | undefined
  readonly trustedProxies: readonly string[]
  /** Of websites that name none. */
  readonly timeZone: string
  /** Names that begin with BELFRY_ and mean nothing: most likely misspelt. */
  readonly unknown: readonly string[]
}

export type Environment = Record<string, string | undefined>

const names = [
  'BELFRY_URL',
  'BELFRY_DATA',
  'BELFRY_ROLES',
  'BELFRY_LOG',
  'BELFRY_RATE_LIMIT',
  'BELFRY_SECRET',
  'BELFRY_ADMIN_EMAIL',
  'BELFRY_ADMIN_PASSWORD',
  'BELFRY_METRICS_TOKEN',
  'BELFRY_TRUSTED_PROXIES',
  'BELFRY_TIME_ZONE',
]

export function readConfig(env: Environment = process.env): Config {
  const mistakes: string[] = []

  function setting<T>(name: string, fallback: T, parse: (text: string) => T): T {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return fallback
    try {
      return parse(text)
    } catch (error) {
      mistakes.push(`${name}: ${(error as Error).message}`)
      return fallback
    }
  }

  const config: Config = {
    port: setting('PORT', 3000, wholeNumber(0, 65_535)),
    host: setting('HOST', '127.0.0.1', String),
    url: setting<string | undefined>('BELFRY_URL', undefined, webAddress),
    dataDir: resolve(setting('BELFRY_DATA', './data', String)),
    databaseUrl: setting<string | undefined>('DATABASE_URL', undefined, databaseAddress),
    roles: setting<ReadonlySet<Role>>('BELFRY_ROLES', new Set(roles), roleSet),
    logLevel: setting<LogLevel>('BELFRY_LOG', 'info', oneOf(logLevels)),
    rateLimit: setting('BELFRY_RATE_LIMIT', 600, wholeNumber(0, 1_000_000_000)),
    secret: setting<string | undefined>('BELFRY_SECRET', undefined, atLeast(32)),
    admin: firstAdmin(env, mistakes),
    metricsToken: setting<string | undefined>('BELFRY_METRICS_TOKEN', undefined, atLeast(16)),
    trustedProxies: setting('BELFRY_TRUSTED_PROXIES', ['127.0.0.0/8', '::1/128'], addressRanges),
    timeZone: setting('BELFRY_TIME_ZONE', 'UTC', timeZone),
    unknown: Object.keys(env).filter((name) => name.startsWith('BELFRY_') && !names.includes(name)),
  }

  if (mistakes.length > 0) {
    throw new StartupError(
      `The configuration has ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n  ${mistakes.join('\n  ')}`,
      'Mend the environment; docs/configure.md lists every setting.',
    )
  }
  return Object.freeze(config)
}

function firstAdmin(env: Environment, mistakes: string[]): Config['admin'] {
  const email = env['BELFRY_ADMIN_EMAIL']?.trim() || undefined
  const password = env['BELFRY_ADMIN_PASSWORD'] || undefined
  if (email === undefined && password === undefined) return undefined
  if (email === undefined || password === undefined) {
    mistakes.push('BELFRY_ADMIN_EMAIL and BELFRY_ADMIN_PASSWORD go together: set both or neither')
    return undefined
  }
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) mistakes.push('BELFRY_ADMIN_EMAIL: not an e-mail address')
  if (password.length < 10 || password.length > 200)
    mistakes.push('BELFRY_ADMIN_PASSWORD: must have 10 to 200 characters')
  return { email, password }
}

function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`)
    }
    return value
  }
}

function oneOf<T extends string>(allowed: readonly T[]) {
  return (text: string) => {
    const found = allowed.find((value) => value === text)
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`)
    return found
  }
}

function atLeast(length: number) {
  return (text: string) => {
    if (text.length < length) throw new Error(`must have at least ${length} characters`)
    return text
  }
}

function roleSet(text: string): ReadonlySet<Role> {
  return new Set(text.split(',').map((part) => oneOf(roles)(part.trim())))
}

function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    throw new Error(`must be an http or https address such as https://stats.example.com, not "${text}"`)
  }
  return url.href.replace(/\/+$/, '')
}

function databaseAddress(text: string): string {
  // The text is not repeated: it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(text) || URL.parse(text) === null) {
    throw new Error('must look like postgres://user:password@host:5432/belfry')
  }
  return text
}

function addressRanges(text: string): string[] {
  return text.split(',').map((part) => {
    const range = part.trim()
    const isRange = range.includes('/') ? ipaddr.isValidCIDR(range) : ipaddr.isValid(range)
    if (!isRange) throw new Error(`"${range}" is neither an address nor a range such as 10.0.0.0/8`)
    return range
  })
}

function timeZone(text: string): string {
  const zone = findTimeZone(text)
  if (zone === undefined) throw new Error(`must be a time zone such as Europe/Berlin, not "${text}"`)
  return zone
}
