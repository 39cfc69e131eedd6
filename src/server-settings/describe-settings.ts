/** Describes the settings that apply, without secrets. */
import type { Config } from '../config/config.ts'
import { findDeployment } from './deployment.ts'
import type { GoLiveFacts } from './go-live.ts'
import { toMailConfig } from './mail-server.ts'
import { findMailTest } from './mail-test.ts'
import type { ServerSettingsRecord } from './schema.ts'
import type { StoredValues } from './stored-settings.ts'

export interface SettingSources {
  /** The settings of the environment and of the configuration file. */
  environment: Config
  values: Partial<StoredValues>
  lastBackupAt: Date | undefined
}

/** `config` has the settings that apply. */
type AllSettings = SettingSources & { config: Config }

export function toServerSettingsRecord(sources: AllSettings): ServerSettingsRecord {
  const { environment, values, lastBackupAt } = sources
  const { public_url: savedUrl, other_backups: madeElsewhere = false } = values
  const savedMail = values.mail_server && toMailConfig(values.mail_server)
  const mailTest = findMailTest(environment.mail ?? savedMail, values.mail_test)
  return {
    url: {
      source: environment.url !== undefined ? 'environment' : savedUrl === undefined ? null : 'page',
      value: environment.url ?? savedUrl?.url ?? null,
    },
    mail: {
      ...describeMail(environment.mail, values.mail_server),
      tested_at: mailTest?.testedAt ?? null,
      test_error: mailTest?.error ?? null,
    },
    single_sign_on: describeSingleSignOn(sources),
    backups: { last_backup_at: lastBackupAt?.toISOString() ?? null, made_elsewhere: madeElsewhere },
  }
}

/** The identity provider sends people back to this path. */
export const SINGLE_SIGN_ON_CALLBACK_PATH = '/sign-in/single-sign-on/callback'

function describeSingleSignOn({ config, environment }: AllSettings): ServerSettingsRecord['single_sign_on'] {
  const { singleSignOn: settings, url } = config
  const roleMap = settings?.roleMap.map(({ claimValue, teamId, role }) => `${claimValue}=${teamId}:${role}`).join(',')
  return {
    source: environment.singleSignOn !== undefined ? 'environment' : settings === undefined ? null : 'page',
    redirect_url: url === undefined ? null : `${url}${SINGLE_SIGN_ON_CALLBACK_PATH}`,
    issuer: settings?.issuer ?? null,
    client_id: settings?.clientId ?? null,
    has_client_secret: settings !== undefined,
    scopes: settings?.scopes ?? null,
    label: settings?.label ?? null,
    role_claim: settings?.roleClaim ?? null,
    role_map: roleMap || null,
    create_users: settings?.createsUsers ?? false,
    only: settings?.isOnly ?? false,
  }
}

function describeMail(
  environmentMail: Config['mail'],
  saved: StoredValues['mail_server'] | undefined,
): Omit<ServerSettingsRecord['mail'], 'tested_at' | 'test_error'> {
  if (environmentMail !== undefined) {
    const { hostname, port, password } = new URL(environmentMail.url)
    return {
      source: 'environment',
      host: hostname,
      port: port === '' ? null : Number(port),
      security: null,
      username: null,
      has_password: password !== '',
      from: environmentMail.from,
    }
  }
  if (saved === undefined) {
    return { source: null, host: null, port: null, security: null, username: null, has_password: false, from: null }
  }
  const { host, port, security, username, password, from } = saved
  return { source: 'page', host, port, security, username: username || null, has_password: password !== '', from }
}

/** `config` has the settings that apply. */
export function toGoLiveFacts(config: Config, sources: SettingSources, now: Date): GoLiveFacts {
  return {
    url: config.url,
    mailHost: config.mail && new URL(config.mail.url).hostname,
    mailTest: findMailTest(config.mail, sources.values.mail_test),
    lastBackupAt: sources.lastBackupAt,
    hasOtherBackups: sources.values.other_backups === true,
    hasOwnDatabase: config.databaseUrl !== undefined,
    deployment: findDeployment(config),
    port: config.port,
    now,
  }
}
