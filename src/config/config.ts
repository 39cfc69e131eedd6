/** The environment, read once into one frozen Config. Nothing else reads process.env. */
import { resolve } from 'node:path'
import { type LogLevel, logLevels } from '../lib/log.ts'
import { StartupError } from '../lib/startup-error.ts'
import { NO_PRIVATE_TARGETS, type PrivateTargets, parsePrivateTargets } from '../outgoing/private-targets.ts'
import { type Environment, readAdmin, readMail, readSms } from './groups.ts'
import {
  addressRanges,
  atLeast,
  databaseAddress,
  hostsAndPorts,
  oneOf,
  ownAddress,
  setOf,
  timeZone,
  webAddress,
  wholeNumber,
} from './values.ts'

export type { Environment } from './groups.ts'

export const roles = ['web', 'checker', 'worker'] as const
export type Role = (typeof roles)[number]

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
  /** A database of places by address, beside the one that comes along. Not read at start. */
  readonly geoDb: string | undefined
  /** The mail server, and whom its mail comes from. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly telegramApi: string
  readonly sms:
    | { readonly url: string; readonly account: string; readonly token: string; readonly from: string }
    | undefined
  /** Text messages a user and day. */
  readonly smsDaily: number
  /** Which addresses that are not public may be dialled for users. */
  readonly privateTargets: PrivateTargets
  /** How long single events and visits are kept; what days came to stays. */
  readonly eventDays: number
  /** Addresses that tell whether our own network is up. */
  readonly reachabilityTargets: readonly { readonly host: string; readonly port: number }[]
  /** Names that begin with BELFRY_ and mean nothing: most likely misspelt. */
  readonly unknown: readonly string[]
}

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
  'BELFRY_GEO_DB',
  'BELFRY_SMTP_URL',
  'BELFRY_MAIL_FROM',
  'BELFRY_TELEGRAM_API',
  'BELFRY_SMS_URL',
  'BELFRY_SMS_ACCOUNT',
  'BELFRY_SMS_TOKEN',
  'BELFRY_SMS_FROM',
  'BELFRY_SMS_DAILY',
  'BELFRY_PRIVATE_TARGETS',
  'BELFRY_CANARIES',
  'BELFRY_EVENT_DAYS',
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
    url: setting<string | undefined>('BELFRY_URL', undefined, ownAddress),
    dataDir: resolve(setting('BELFRY_DATA', './data', String)),
    databaseUrl: setting<string | undefined>('DATABASE_URL', undefined, databaseAddress),
    roles: setting<ReadonlySet<Role>>('BELFRY_ROLES', new Set(roles), setOf(roles)),
    logLevel: setting<LogLevel>('BELFRY_LOG', 'info', oneOf(logLevels)),
    rateLimit: setting('BELFRY_RATE_LIMIT', 600, wholeNumber(0, 1_000_000_000)),
    secret: setting<string | undefined>('BELFRY_SECRET', undefined, atLeast(32)),
    admin: readAdmin(env, mistakes),
    metricsToken: setting<string | undefined>('BELFRY_METRICS_TOKEN', undefined, atLeast(16)),
    trustedProxies: setting('BELFRY_TRUSTED_PROXIES', ['127.0.0.0/8', '::1/128'], addressRanges),
    timeZone: setting('BELFRY_TIME_ZONE', 'UTC', timeZone),
    geoDb: setting<string | undefined>('BELFRY_GEO_DB', undefined, (path) => resolve(path)),
    mail: readMail(env, mistakes),
    telegramApi: setting('BELFRY_TELEGRAM_API', 'https://api.telegram.org', webAddress),
    sms: readSms(env, mistakes),
    smsDaily: setting('BELFRY_SMS_DAILY', 100, wholeNumber(0, 1_000_000)),
    privateTargets: setting('BELFRY_PRIVATE_TARGETS', NO_PRIVATE_TARGETS, parsePrivateTargets),
    reachabilityTargets: setting<Config['reachabilityTargets']>('BELFRY_CANARIES', [], hostsAndPorts),
    eventDays: setting('BELFRY_EVENT_DAYS', 400, wholeNumber(1, 36_500)),
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
