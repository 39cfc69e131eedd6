/** Parses all settings once into a frozen Config. Nothing else reads process.env. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LogLevel } from '../lib/log.ts'
import { packageFolder } from '../lib/package-folder.ts'
import { formatCommand } from '../lib/program.ts'
import { ConfigurationError } from '../lib/startup-error.ts'
import { NO_PRIVATE_TARGETS, type PrivateTargets } from '../outgoing/private-targets.ts'
import { type CollectedSettings, collectSettings, findSettingText, formatPlace } from './collect-settings.ts'
import {
  type Environment,
  type ParsedSetting,
  type Role,
  type SettingName,
  type SettingValue,
  settings,
} from './settings.ts'
import type { SingleSignOnConfig } from './single-sign-on.ts'

export { type Environment, type Role, roles } from './settings.ts'

export interface Config {
  readonly port: number
  readonly host: string
  /**
   * The public URL without a trailing slash: `BELFRY_URL`, or the one that an admin saved on a page. If unset, URLs use the
   * host of the request. It can change while the server runs, so read it at the moment of use.
   */
  readonly url: string | undefined
  /** The origin of the page on which an admin saved `url`. People can sign in there, too. */
  readonly signInOrigin: string | undefined
  /** The absolute path of the configuration file. */
  readonly configFile: string | undefined
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
  /** The socket on which systemd receives messages about the server's state. systemd sets it, not the operator. */
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
  /** The header, in lower case, in which trusted proxies send the client's address. */
  readonly clientAddressHeader: string
  /** Single sign-on by OpenID Connect. It can change while the server runs, like `url`. */
  readonly singleSignOn: SingleSignOnConfig | undefined
  /** Whether the operator said that single sign-on is the only way to sign in, or that it is not. It overrides what an admin saved. */
  readonly isSingleSignOnOnly: boolean | undefined
  /** The header, in lower case, in which trusted proxies send the email address of the person whom they authenticated. */
  readonly authHeader: { readonly name: string; readonly createsUsers: boolean } | undefined
  /** The default time zone of new websites. Alerts about monitors that belong to no website also show times in it. */
  readonly timeZone: string
  /** Path of a geolocation database that is used in addition to the bundled one. */
  readonly geoDb: string | undefined
  /** The SMTP server and the From address. They can change while the server runs, like `url`. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  readonly telegramApi: string
  readonly pushoverApi: string
  readonly pagerdutyApi: string
  readonly sms:
    | { readonly url: string; readonly account: string; readonly token: string; readonly from: string }
    | undefined
  /** Text messages per day for each user. */
  readonly smsDailyLimit: number
  /** The allowed domains in lower case. undefined: notification channels can send email to any domain. */
  readonly mailDomains: readonly string[] | undefined
  /** Non-public addresses that monitors and webhooks of users may connect to. */
  readonly privateTargets: PrivateTargets
  /** Whether Belfry fetches the icons of users' websites. */
  readonly hasFavicons: boolean
  /** Whether the embedded database is backed up before it is migrated. */
  readonly hasUpgradeBackups: boolean
  /** How many days individual events and visits are stored. Infinity: forever. Daily totals are always stored forever. */
  readonly eventDays: number
  /** An RDAP server that is asked about all domains, without a trailing slash. If unset, the registry of each domain is asked. */
  readonly rdapUrl: string | undefined
  /** Hosts whose reachability shows whether our own network works. */
  readonly reachabilityTargets: readonly { readonly host: string; readonly port: number }[]
}

const oidcDetails: readonly SettingName[] = [
  'BELFRY_OIDC_SCOPES',
  'BELFRY_OIDC_LABEL',
  'BELFRY_OIDC_ROLE_CLAIM',
  'BELFRY_OIDC_ROLE_MAP',
  'BELFRY_OIDC_CREATE_USERS',
]

/** Reads no configuration file, only the environment and the secret files that it names. */
export function readConfig(env: Environment = process.env): Config {
  return parseConfig(collectSettings(env))
}

/** Throws a ConfigurationError that lists all errors and contains no secret. */
export function parseConfig(collected: CollectedSettings): Config {
  const errors = [...collected.errors]

  function parseText<Name extends SettingName>(name: Name, text: string): ParsedSetting<Name> {
    try {
      return settings[name].parse(text) as ParsedSetting<Name>
    } catch (error) {
      const quoteHint = /^(["']).*\1$/s.test(text) ? '; remove the quotes around the value' : ''
      const place = formatPlace(collected.values.get(name)?.origin ?? '')
      errors.push(`${name}: ${(error as Error).message}${quoteHint}${place}`)
      return undefined as never // Never used, because the errors are thrown below.
    }
  }

  function readSetting<Name extends SettingName>(name: Name): SettingValue<Name> {
    const text = findSettingText(collected, name)
    return text === undefined ? (undefined as SettingValue<Name>) : parseText(name, text)
  }

  /** Returns undefined if none of the settings is set. Setting only some of them is an error. */
  function readGroup<Name extends SettingName>(...names: Name[]): { [N in Name]: ParsedSetting<N> } | undefined {
    const missingNames = names.filter((name) => !collected.values.has(name))
    if (missingNames.length === 0) {
      return Object.fromEntries(names.map((name) => [name, readSetting(name)])) as { [N in Name]: ParsedSetting<N> }
    }
    // A setting may seem to be missing because its line or its file has an error.
    if (missingNames.length < names.length && collected.errors.length === 0) {
      errors.push(`${names.join(', ')} must be set together (missing: ${missingNames.join(', ')})`)
    }
    return undefined
  }

  const admin = readGroup('BELFRY_ADMIN_EMAIL', 'BELFRY_ADMIN_PASSWORD')
  const mail = readGroup('BELFRY_SMTP_URL', 'BELFRY_MAIL_FROM')
  const sms = readGroup('BELFRY_SMS_URL', 'BELFRY_SMS_ACCOUNT', 'BELFRY_SMS_TOKEN', 'BELFRY_SMS_FROM')
  const oidc = readGroup('BELFRY_OIDC_ISSUER', 'BELFRY_OIDC_CLIENT_ID', 'BELFRY_OIDC_CLIENT_SECRET')
  const roles = readGroup('BELFRY_OIDC_ROLE_CLAIM', 'BELFRY_OIDC_ROLE_MAP')
  const authHeader = {
    name: readSetting('BELFRY_AUTH_HEADER'),
    createsUsers: readSetting('BELFRY_AUTH_HEADER_CREATE_USERS') === 'on',
  }

  /** A setting without the one that it belongs to would have no effect, and nobody would notice. */
  function requireWith(name: SettingName, neededName: SettingName, reason: string): void {
    if (!collected.values.has(name) || collected.values.has(neededName) || collected.errors.length > 0) return
    errors.push(`${name} needs ${neededName}${reason}${formatPlace(collected.values.get(name)?.origin ?? '')}`)
  }
  for (const name of oidcDetails) requireWith(name, 'BELFRY_OIDC_ISSUER', '')
  requireWith('BELFRY_AUTH_HEADER', 'BELFRY_TRUSTED_PROXIES', ', because anybody else could send the header')
  requireWith('BELFRY_AUTH_HEADER_CREATE_USERS', 'BELFRY_AUTH_HEADER', '')
  const isOnly = readSetting('BELFRY_OIDC_ONLY') === 'on'
  const oidcDefaults = {
    scopes: readSetting('BELFRY_OIDC_SCOPES'),
    label: readSetting('BELFRY_OIDC_LABEL'),
    roleClaim: roles?.BELFRY_OIDC_ROLE_CLAIM,
    roleMap: roles?.BELFRY_OIDC_ROLE_MAP ?? [],
    createsUsers: readSetting('BELFRY_OIDC_CREATE_USERS') === 'on',
    isOnly,
  }
  const config: Config = {
    port: readSetting('PORT'),
    host: readSetting('HOST'),
    url: readSetting('BELFRY_URL'),
    signInOrigin: undefined,
    configFile: collected.configFile,
    dataDir: readSetting('BELFRY_DATA'),
    databaseUrl: readSetting('DATABASE_URL'),
    database: {
      timeoutMs: readSetting('BELFRY_DATABASE_TIMEOUT') * 1000,
      requestConnections: readSetting('BELFRY_DATABASE_POOL'),
      backgroundConnections: readSetting('BELFRY_DATABASE_BACKGROUND_POOL'),
    },
    databaseWaitSeconds: readSetting('BELFRY_DATABASE_WAIT'),
    drainSeconds: readSetting('BELFRY_DRAIN_SECONDS'),
    notifySocket: collected.notifySocket,
    roles: readSetting('BELFRY_ROLES'),
    logLevel: readSetting('BELFRY_LOG'),
    rateLimit: readSetting('BELFRY_RATE_LIMIT'),
    secret: readSetting('BELFRY_SECRET'),
    admin: admin && { email: admin.BELFRY_ADMIN_EMAIL, password: admin.BELFRY_ADMIN_PASSWORD },
    metricsToken: readSetting('BELFRY_METRICS_TOKEN'),
    securityContact: readSetting('BELFRY_SECURITY_CONTACT'),
    trustedProxies: readSetting('BELFRY_TRUSTED_PROXIES'),
    clientAddressHeader: readSetting('BELFRY_CLIENT_ADDRESS_HEADER'),
    singleSignOn: oidc && {
      issuer: oidc.BELFRY_OIDC_ISSUER,
      clientId: oidc.BELFRY_OIDC_CLIENT_ID,
      clientSecret: oidc.BELFRY_OIDC_CLIENT_SECRET,
      ...oidcDefaults,
    },
    isSingleSignOnOnly: collected.values.has('BELFRY_OIDC_ONLY') ? isOnly : undefined,
    authHeader: authHeader.name === undefined ? undefined : { ...authHeader, name: authHeader.name },
    timeZone: readSetting('BELFRY_TIME_ZONE'),
    geoDb: readSetting('BELFRY_GEO_DB'),
    mail: mail && { url: mail.BELFRY_SMTP_URL, from: mail.BELFRY_MAIL_FROM },
    telegramApi: readSetting('BELFRY_TELEGRAM_API'),
    pushoverApi: readSetting('BELFRY_PUSHOVER_API'),
    pagerdutyApi: readSetting('BELFRY_PAGERDUTY_API'),
    sms: sms && {
      url: sms.BELFRY_SMS_URL,
      account: sms.BELFRY_SMS_ACCOUNT,
      token: sms.BELFRY_SMS_TOKEN,
      from: sms.BELFRY_SMS_FROM,
    },
    smsDailyLimit: readSetting('BELFRY_SMS_DAILY'),
    mailDomains: readSetting('BELFRY_MAIL_DOMAINS'),
    privateTargets: readSetting('BELFRY_PRIVATE_TARGETS') ?? NO_PRIVATE_TARGETS,
    reachabilityTargets: readSetting('BELFRY_CANARIES') ?? [],
    rdapUrl: readSetting('BELFRY_RDAP_URL'),
    hasFavicons: readSetting('BELFRY_FAVICONS') === 'on',
    hasUpgradeBackups: readSetting('BELFRY_UPGRADE_BACKUP') === 'on',
    eventDays: readSetting('BELFRY_EVENT_DAYS'),
  }
  if (errors.length > 0) {
    throw new ConfigurationError(
      `The configuration has ${errors.length === 1 ? 'an error' : `${errors.length} errors`}:\n  ${errors.join('\n  ')}`,
      `Correct these settings. \`${formatCommand('config --help')}\` describes all of them.`,
    )
  }
  return Object.freeze(config)
}

export async function readVersion(): Promise<string> {
  return JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')).version
}
