/** Formats values of settings for people, without the secrets in them. */
import { getSetting, type SettingName } from './settings.ts'

const HIDDEN = '***'

/** Parameters of DATABASE_URL and BELFRY_SMTP_URL that are known to be harmless. The values of all others are hidden. */
const harmlessParameters = [
  'host',
  'port',
  'user',
  'dbname',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'connect_timeout',
  'target_session_attrs',
  'application_name',
  'requireTLS',
  'ignoreTLS',
  'tls.rejectUnauthorized',
]

export function formatSettingText(name: SettingName, text: string): string {
  const { secret } = getSetting(name)
  if (secret === undefined) return text
  return secret === 'url' ? hideUrlSecrets(text) : HIDDEN
}

/** `postgres://ada:hush@db/belfry?password=hush` becomes `postgres://ada:***@db/belfry?password=***`. */
export function hideUrlSecrets(url: string): string {
  const [, scheme, login, address = '', query] =
    /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?([^?]*)(?:\?(.*))?$/is.exec(url) ?? []
  // Nobody knows where the secrets are in a text that is not a URL.
  if (scheme === undefined) return HIDDEN
  const visibleLogin = login === undefined ? '' : `${login.replace(/:.*$/s, `:${HIDDEN}`)}@`
  const visibleQuery = query === undefined ? '' : `?${query.split('&').map(hideParameter).join('&')}`
  return scheme + visibleLogin + address + visibleQuery
}

function hideParameter(parameter: string): string {
  const [name = ''] = parameter.split('=', 1)
  return harmlessParameters.includes(name) ? parameter : `${name}=${HIDDEN}`
}
