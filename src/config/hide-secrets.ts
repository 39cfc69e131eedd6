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
export function hideUrlSecrets(url: string, replacement = HIDDEN): string {
  const [, scheme, login, rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(url) ?? []
  // An "@" after the first "/", "?" or "#" is probably the end of a login whose password contains that character.
  if (scheme === undefined || rest.includes('@')) return replacement
  const [, address = '', query] = /^([^?#]*)(?:\?([^#]*))?/.exec(rest) ?? []
  const visibleLogin = login === undefined ? '' : `${login.replace(/:.*$/s, `:${replacement}`)}@`
  const parameters = query?.split('&').map((parameter) => hideParameter(parameter, replacement))
  const visibleQuery = parameters === undefined ? '' : `?${parameters.join('&')}`
  return scheme + visibleLogin + address + visibleQuery
}

/** An unknown parameter may be part of a password that contains a "?". */
function hideParameter(parameter: string, replacement: string): string {
  const [name = ''] = parameter.split('=', 1)
  if (harmlessParameters.includes(name)) return parameter
  return name === 'password' ? `password=${replacement}` : replacement
}
