/**
 * This table contains every setting. The configuration file, `belfry config`, the suggestions for misspelled names, the
 * documentation and packaging/belfry.env follow it. settings.test.ts compares the last two with it.
 */
import { logLevels } from '../lib/log.ts'
import { parsePrivateTargets } from '../outgoing/private-targets.ts'
import * as parse from './setting-parsers.ts'
import { parseIssuerUrl, parseLabel, parseRoleMap, parseScopes } from './single-sign-on.ts'

export type Environment = Record<string, string | undefined>

export const roles = ['web', 'checker', 'worker'] as const
export type Role = (typeof roles)[number]

interface SettingDefinition {
  description: string
  /** Throws an Error whose message follows the setting's name. The message of a secret must not repeat the text. */
  parse(text: string): unknown
  /** The text that applies if the setting is not set. */
  default?: string
  /** What Belfry does if a setting without a default is not set. */
  unsetMeaning?: string
  /** Secrets can be in a file of their own, and are never printed. In a URL, only the secret parts are hidden. */
  secret?: 'text' | 'url'
  /** Passwords and tokens may begin or end with spaces. Other values are trimmed. */
  keepsSpaces?: true
  /** Paths are relative to the working folder. */
  isPath?: true
}

export const settings = {
  PORT: { description: 'port to listen on; 0 picks a free one', default: '3000', parse: parse.parseInteger(0, 65_535) },
  HOST: { description: 'IP address or host name to listen on', default: '127.0.0.1', parse: parse.parseListenHost },
  BELFRY_URL: {
    description: 'public address, for links in messages',
    unsetMeaning: "the request's host",
    parse: parse.parsePublicUrl,
  },
  BELFRY_DATA: { description: 'data folder', default: './data', isPath: true, parse: String },
  DATABASE_URL: {
    description: 'your own PostgreSQL instead of the embedded one',
    secret: 'url',
    parse: parse.parseDatabaseUrlText,
  },
  BELFRY_DATABASE_TIMEOUT: {
    description: 'seconds that a request can wait for the database',
    default: '4',
    parse: parse.parseInteger(1, 60),
  },
  // With far more connections than cores, PostgreSQL's processes would only compete for the CPU.
  BELFRY_DATABASE_POOL: {
    description: 'database connections for requests',
    default: '9',
    parse: parse.parseInteger(2, 500),
  },
  BELFRY_DATABASE_BACKGROUND_POOL: {
    description: 'database connections for checks and jobs',
    default: '6',
    parse: parse.parseInteger(2, 500),
  },
  BELFRY_DATABASE_WAIT: {
    description: 'seconds to wait at start for a database that is not up yet',
    default: '0',
    parse: parse.parseInteger(0, 86_400),
  },
  BELFRY_DRAIN_SECONDS: {
    description: 'seconds that a stopping server continues to serve requests',
    default: '1',
    parse: parse.parseInteger(0, 600),
  },
  BELFRY_SECRET: {
    description: 'key that signs links and encrypts stored secrets; the same on every node',
    unsetMeaning: 'created in the data folder',
    secret: 'text',
    parse: parse.parseTextOfMinLength(32),
  },
  BELFRY_ADMIN_EMAIL: {
    description: 'email address of the admin account that the first start creates',
    parse: parse.parseEmail,
  },
  BELFRY_ADMIN_PASSWORD: {
    description: 'password of the admin account that the first start creates',
    secret: 'text',
    keepsSpaces: true,
    parse: parse.parsePassword,
  },
  BELFRY_RATE_LIMIT: {
    description: 'requests a minute per caller; 0 turns the limit off',
    default: '600',
    parse: parse.parseInteger(0, 1_000_000_000),
  },
  BELFRY_TRUSTED_PROXIES: {
    description: 'proxies whose X-Forwarded-* headers are trusted',
    default: '127.0.0.0/8,::1/128',
    parse: parse.parseIpRanges,
  },
  BELFRY_CLIENT_ADDRESS_HEADER: {
    description: "header in which trusted proxies send the client's address",
    default: 'x-forwarded-for',
    parse: parse.parseHeaderName,
  },
  BELFRY_TIME_ZONE: {
    description: 'default time zone of new websites',
    default: 'UTC',
    parse: parse.parseTimeZone,
  },
  BELFRY_GEO_DB: {
    description: 'path of a city database in MMDB format, for regions and cities of visitors',
    isPath: true,
    parse: String,
  },
  BELFRY_EVENT_DAYS: {
    description: 'days to keep individual events, or forever; daily totals are always kept forever',
    default: 'forever',
    parse: parse.parseDays(1, 36_500),
  },
  BELFRY_UPGRADE_BACKUP: {
    description: 'whether the embedded database is backed up before an upgrade migrates it',
    default: 'on',
    parse: parse.parseChoice(['on', 'off']),
  },
  BELFRY_SMTP_URL: {
    description: 'mail server: smtp://user:password@host:587',
    secret: 'url',
    parse: parse.parseSmtpUrl,
  },
  BELFRY_MAIL_FROM: { description: 'sender of emails', parse: parse.parseMailSender },
  BELFRY_TELEGRAM_API: {
    description: 'address of the Telegram Bot API',
    default: 'https://api.telegram.org',
    parse: parse.parseBaseUrl,
  },
  BELFRY_PUSHOVER_API: {
    description: 'address of the Pushover API',
    default: 'https://api.pushover.net',
    parse: parse.parseBaseUrl,
  },
  BELFRY_PAGERDUTY_API: {
    description: 'address of the PagerDuty Events API',
    default: 'https://events.pagerduty.com',
    parse: parse.parseBaseUrl,
  },
  BELFRY_SMS_URL: {
    description: 'Twilio-compatible endpoint for text messages',
    secret: 'url',
    parse: parse.parseEndpointUrl,
  },
  BELFRY_SMS_ACCOUNT: { description: 'account at the SMS endpoint', parse: String },
  BELFRY_SMS_TOKEN: {
    description: 'token of the account at the SMS endpoint',
    secret: 'text',
    keepsSpaces: true,
    parse: String,
  },
  BELFRY_SMS_FROM: { description: 'sender of text messages', parse: String },
  BELFRY_MAIL_DOMAINS: {
    description: 'domains that alerts and invitations can be mailed to',
    unsetMeaning: 'any',
    parse: parse.parseMailDomains,
  },
  BELFRY_SMS_DAILY: {
    description: 'text messages per team and day; 0 turns them off',
    default: '100',
    parse: parse.parseInteger(0, 1_000_000),
  },
  BELFRY_PRIVATE_TARGETS: {
    description: 'private addresses that monitors and webhooks can connect to',
    parse: parsePrivateTargets,
  },
  BELFRY_FAVICONS: {
    description: 'whether Belfry fetches the icons of your websites',
    default: 'on',
    parse: parse.parseChoice(['on', 'off']),
  },
  BELFRY_CANARIES: {
    description: "hosts that show whether the server's own network is up",
    parse: parse.parseHostPorts,
  },
  BELFRY_RDAP_URL: {
    description: 'RDAP server for the expiry dates of domains',
    parse: parse.parseBaseUrl,
  },
  BELFRY_OIDC_ISSUER: {
    description: 'identity provider for single sign-on: its issuer URL',
    parse: parseIssuerUrl,
  },
  BELFRY_OIDC_CLIENT_ID: { description: "Belfry's client ID at the identity provider", parse: String },
  BELFRY_OIDC_CLIENT_SECRET: {
    description: "Belfry's client secret at the identity provider",
    secret: 'text',
    keepsSpaces: true,
    parse: String,
  },
  BELFRY_OIDC_SCOPES: {
    description: 'scopes that Belfry asks the identity provider for',
    default: 'openid email profile',
    parse: parseScopes,
  },
  BELFRY_OIDC_LABEL: {
    description: 'text of the button for single sign-on',
    default: 'Single sign-on',
    parse: parseLabel,
  },
  BELFRY_OIDC_ROLE_CLAIM: { description: 'claim with the groups or roles of a person', parse: String },
  BELFRY_OIDC_ROLE_MAP: {
    description: 'roles in teams by value of that claim: belfry-admins=1:admin,staff=1:viewer',
    parse: parseRoleMap,
  },
  BELFRY_OIDC_CREATE_USERS: {
    description: 'whether single sign-on creates accounts',
    default: 'off',
    parse: parse.parseChoice(['on', 'off']),
  },
  BELFRY_OIDC_ONLY: {
    description: 'whether single sign-on is the only way to sign in',
    default: 'off',
    parse: parse.parseChoice(['on', 'off']),
  },
  BELFRY_AUTH_HEADER: {
    description: 'header in which trusted proxies send the email address of the person they authenticated',
    parse: parse.parseHeaderName,
  },
  BELFRY_AUTH_HEADER_CREATE_USERS: {
    description: 'whether that header creates accounts',
    default: 'off',
    parse: parse.parseChoice(['on', 'off']),
  },
  BELFRY_METRICS_TOKEN: {
    description: 'token that Prometheus has to send; enables /metrics',
    secret: 'text',
    parse: parse.parseTextOfMinLength(16),
  },
  BELFRY_SECURITY_CONTACT: { description: 'contact in /.well-known/security.txt', parse: parse.parseContact },
  BELFRY_ROLES: {
    description: `what this node runs: ${roles.join(', ')}, separated by commas`,
    default: roles.join(),
    parse: parse.parseChoices(roles),
  },
  BELFRY_LOG: {
    description: `log level: ${logLevels.join(', ')}`,
    default: 'info',
    parse: parse.parseChoice(logLevels),
  },
} satisfies Record<string, SettingDefinition>

export type SettingName = keyof typeof settings

/** What a setting's parser returns. */
export type ParsedSetting<Name extends SettingName> = ReturnType<(typeof settings)[Name]['parse']>

/** A setting without a default may be unset. */
export type SettingValue<Name extends SettingName> =
  | ParsedSetting<Name>
  | ((typeof settings)[Name] extends { default: string } ? never : undefined)

export const settingNames = Object.keys(settings) as SettingName[]

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name)
}

export function getSetting(name: SettingName): SettingDefinition {
  return settings[name]
}

export const secretNames = settingNames.filter((name) => getSetting(name).secret !== undefined)
