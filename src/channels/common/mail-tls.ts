/** How the connection to the mail server uses TLS, decided by the operator's URL. This module is pure. */
import { isLoopbackHostname } from '../../shared/reach.ts'

export interface MailTls {
  /** Whether Belfry refuses to send emails without TLS. */
  requireTLS?: true
  /** Whether Belfry continues without TLS if the server offers STARTTLS and then refuses it. */
  opportunisticTLS?: true
  tls?: { rejectUnauthorized: false }
}

/**
 * A password must not be exposed, so a login requires TLS. The connection to a mail server on this machine never leaves
 * it, so it needs neither TLS nor a valid certificate: the mail servers of most systems have a self-signed one for
 * another name. The parameters of the URL take precedence.
 */
export function chooseMailTls(url: URL): MailTls {
  const has = (name: string) => url.searchParams.has(name)
  const isDecidedByUrl = has('requireTLS') || has('ignoreTLS') || url.protocol === 'smtps:'
  if (!isLoopbackHostname(url.hostname.toLowerCase())) {
    return url.username !== '' && !isDecidedByUrl ? { requireTLS: true } : {}
  }
  return {
    ...(!isDecidedByUrl && { opportunisticTLS: true }),
    ...(!has('tls.rejectUnauthorized') && { tls: { rejectUnauthorized: false } }),
  }
}
