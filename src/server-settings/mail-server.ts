/** The mail server as an admin describes it on a page, and as the code that sends email needs it. This module is pure. */
import type { Config } from '../config/config.ts'
import type { MailSecurity } from '../shared/server-settings.ts'

export interface MailServer {
  host: string
  port: number
  security: MailSecurity
  /** Empty if the server needs no login. */
  username: string
  password: string
  /** The sender, such as `Belfry <belfry@example.com>`. */
  from: string
}

/**
 * The parameters say explicitly whether the connection must use STARTTLS. Without them, a connection without a login
 * would use STARTTLS only if the server offers it, which an attacker can prevent.
 */
const queries: Record<MailSecurity, string> = { tls: '', starttls: '?requireTLS=true', none: '?ignoreTLS=true' }

export function toMailConfig({
  host,
  port,
  security,
  username,
  password,
  from,
}: MailServer): NonNullable<Config['mail']> {
  const login = username === '' ? '' : `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`
  const hostText = host.includes(':') ? `[${host}]` : host
  const scheme = security === 'tls' ? 'smtps' : 'smtp'
  return { url: `${scheme}://${login}${hostText}:${port}${queries[security]}`, from }
}
