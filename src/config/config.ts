/** Reads the environment once into a frozen Config. Nothing else reads process.env. */
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type LogLevel, logLevels } from '../lib/log.ts'
import { packageFolder } from '../lib/package-folder.ts'
import { ConfigurationError } from '../lib/startup-error.ts'
import { NO_PRIVATE_TARGETS, type PrivateTargets, parsePrivateTargets } from '../outgoing/private-targets.ts'
import { type Environment, readAdminSettings, readMailSettings, readSmsSettings } from './setting-groups.ts'
import {
  parseBaseUrl,
  parseChoice,
  parseChoices,
  parseContact,
  parseDatabaseUrlText,
  parseHostPorts,
  parseInteger,
  parseIpRanges,
  parsePublicUrl,
  parseTextOfMinLength,
  parseTimeZone,
} from './setting-parsers.ts'

export type { Environment } from './setting-groups.ts'

/** Relative to the working directory. */
export const DEFAULT_DATA_FOLDER = './data'

export const roles = ['web', 'checker', 'worker'] as const
export type Role = (typeof roles)[number]

export interface Config {
  readonly port: number
  readonly host: string
  /** `BELFRY_URL` without a trailing slash. If unset, URLs use the host of the request. */
  readonly url: string | undefined
  readonly dataDir: string
  readonly databaseUrl: string | undefined
  readonly database: {
    /** How long a request waits for the database. */
    readonly timeoutMs: number
    readonly requestConnections: number
    /** Connections for checks and jobs. */
    readonly backgroundConnections: number
  }
  /** How long a start waits for a database that is not up yet. */
  readonly databaseWaitSeconds: number
  /** How long a stopping server still serves requests while `/readyz` tells load balancers to use other servers. */
  readonly drainSeconds: number
  /** Where systemd waits for messages about the state of the server. systemd sets it; it is not a setting of operators. */
  readonly notifySocket: string | undefined
  readonly roles: ReadonlySet<Role>
  readonly logLevel: LogLevel
  /** Requests per minute for each caller; 0 means no limit. */
  readonly rateLimit: number
  readonly secret: string | undefined
  readonly admin: { readonly email: string; readonly password: string } | undefined
  readonly metricsToken: string | undefined
  /** A URI, for security.txt. */
  readonly securityContact: string | undefined
  readonly trustedProxies: readonly string[]
  /** Default for new websites, and for times in alerts about monitors that belong to no website. */
  readonly timeZone: string
  /** Path of a geolocation database that is used in addition to the bundled one. */
  readonly geoDb: string | undefined
  /** The SMTP server and the From address. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly telegramApi: string
  readonly pushoverApi: string
  readonly pagerdutyApi: string
  readonly sms:
    | { readonly url: string; readonly account: string; readonly token: string; readonly from: string }
    | undefined
  /** Text messages per day for each user. */
  readonly smsDailyLimit: number
  /** Non-public addresses that monitors and webhooks of users may connect to. */
  readonly privateTargets: PrivateTargets
  /** Whether Belfry fetches the icons of users' websites. */
  readonly hasFavicons: boolean
  /** For how many days single events and visits are stored. Daily totals are stored forever. */
  readonly eventDays: number
  /** An RDAP server that is asked about all domains, without a trailing slash. If unset, the registry of each domain is asked. */
  readonly rdapUrl: string | undefined
  /** Hosts whose reachability shows whether our own network works. */
  readonly reachabilityTargets: readonly { readonly host: string; readonly port: number }[]
  /** Environment variables that start with BELFRY_ but are not settings: probably typos. */
  readonly unknownSettingNames: readonly string[]
}

const settingNames = [
  'BELFRY_URL',
  'BELFRY_DATA',
  'BELFRY_DATABASE_WAIT',
  'BELFRY_DATABASE_TIMEOUT',
  'BELFRY_DATABASE_POOL',
  'BELFRY_DATABASE_BACKGROUND_POOL',
  'BELFRY_DRAIN_SECONDS',
  'BELFRY_ROLES',
  'BELFRY_LOG',
  'BELFRY_RATE_LIMIT',
  'BELFRY_SECRET',
  'BELFRY_ADMIN_EMAIL',
  'BELFRY_ADMIN_PASSWORD',
  'BELFRY_METRICS_TOKEN',
  'BELFRY_SECURITY_CONTACT',
  'BELFRY_TRUSTED_PROXIES',
  'BELFRY_TIME_ZONE',
  'BELFRY_GEO_DB',
  'BELFRY_SMTP_URL',
  'BELFRY_MAIL_FROM',
  'BELFRY_TELEGRAM_API',
  'BELFRY_PUSHOVER_API',
  'BELFRY_PAGERDUTY_API',
  'BELFRY_SMS_URL',
  'BELFRY_SMS_ACCOUNT',
  'BELFRY_SMS_TOKEN',
  'BELFRY_SMS_FROM',
  'BELFRY_SMS_DAILY',
  'BELFRY_PRIVATE_TARGETS',
  'BELFRY_CANARIES',
  'BELFRY_RDAP_URL',
  'BELFRY_EVENT_DAYS',
  'BELFRY_FAVICONS',
]

export function readConfig(env: Environment = process.env): Config {
  const errors: string[] = []

  function readSetting<T>(name: string, fallback: T, parse: (text: string) => T): T {
    const text = env[name]?.trim()
    if (text === undefined || text === '') return fallback
    try {
      return parse(text)
    } catch (error) {
      errors.push(`${name}: ${(error as Error).message}`)
      return fallback
    }
  }

  const config: Config = {
    port: readSetting('PORT', 3000, parseInteger(0, 65_535)),
    host: readSetting('HOST', '127.0.0.1', String),
    url: readSetting<string | undefined>('BELFRY_URL', undefined, parsePublicUrl),
    dataDir: resolve(readSetting('BELFRY_DATA', DEFAULT_DATA_FOLDER, String)),
    databaseUrl: readSetting<string | undefined>('DATABASE_URL', undefined, parseDatabaseUrlText),
    database: {
      timeoutMs: readSetting('BELFRY_DATABASE_TIMEOUT', 4, parseInteger(1, 60)) * 1000,
      // With far more connections than cores, PostgreSQL's processes would only compete for the CPU.
      requestConnections: readSetting('BELFRY_DATABASE_POOL', 9, parseInteger(2, 500)),
      backgroundConnections: readSetting('BELFRY_DATABASE_BACKGROUND_POOL', 6, parseInteger(2, 500)),
    },
    databaseWaitSeconds: readSetting('BELFRY_DATABASE_WAIT', 0, parseInteger(0, 86_400)),
    drainSeconds: readSetting('BELFRY_DRAIN_SECONDS', 1, parseInteger(0, 600)),
    notifySocket: env['NOTIFY_SOCKET'] || undefined,
    roles: readSetting<ReadonlySet<Role>>('BELFRY_ROLES', new Set(roles), parseChoices(roles)),
    logLevel: readSetting<LogLevel>('BELFRY_LOG', 'info', parseChoice(logLevels)),
    rateLimit: readSetting('BELFRY_RATE_LIMIT', 600, parseInteger(0, 1_000_000_000)),
    secret: readSetting<string | undefined>('BELFRY_SECRET', undefined, parseTextOfMinLength(32)),
    admin: readAdminSettings(env, errors),
    metricsToken: readSetting<string | undefined>('BELFRY_METRICS_TOKEN', undefined, parseTextOfMinLength(16)),
    securityContact: readSetting<string | undefined>('BELFRY_SECURITY_CONTACT', undefined, parseContact),
    trustedProxies: readSetting('BELFRY_TRUSTED_PROXIES', ['127.0.0.0/8', '::1/128'], parseIpRanges),
    timeZone: readSetting('BELFRY_TIME_ZONE', 'UTC', parseTimeZone),
    geoDb: readSetting<string | undefined>('BELFRY_GEO_DB', undefined, (path) => resolve(path)),
    mail: readMailSettings(env, errors),
    telegramApi: readSetting('BELFRY_TELEGRAM_API', 'https://api.telegram.org', parseBaseUrl),
    pushoverApi: readSetting('BELFRY_PUSHOVER_API', 'https://api.pushover.net', parseBaseUrl),
    pagerdutyApi: readSetting('BELFRY_PAGERDUTY_API', 'https://events.pagerduty.com', parseBaseUrl),
    sms: readSmsSettings(env, errors),
    smsDailyLimit: readSetting('BELFRY_SMS_DAILY', 100, parseInteger(0, 1_000_000)),
    privateTargets: readSetting('BELFRY_PRIVATE_TARGETS', NO_PRIVATE_TARGETS, parsePrivateTargets),
    reachabilityTargets: readSetting<Config['reachabilityTargets']>('BELFRY_CANARIES', [], parseHostPorts),
    rdapUrl: readSetting<string | undefined>('BELFRY_RDAP_URL', undefined, parseBaseUrl),
    hasFavicons: readSetting<'on' | 'off'>('BELFRY_FAVICONS', 'on', parseChoice(['on', 'off'])) === 'on',
    eventDays: readSetting('BELFRY_EVENT_DAYS', 400, parseInteger(1, 36_500)),
    unknownSettingNames: Object.keys(env).filter((name) => name.startsWith('BELFRY_') && !settingNames.includes(name)),
  }

  if (errors.length > 0) {
    throw new ConfigurationError(
      `The configuration has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n  ${errors.join('\n  ')}`,
      'Correct these environment variables. docs/configure.md describes all settings.',
    )
  }
  return Object.freeze(config)
}

export async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')).version
}
