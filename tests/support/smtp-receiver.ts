/** A real SMTP server that records what it receives. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string[]
  raw: string
  mail: Email
  usesTls: boolean
  /** The user that signed in, if any. */
  user: unknown
}

export interface SmtpReceiver {
  port: number
  received: ReceivedMail[]
  /** Replaces the handlers of the next emails. Without `onRcptTo`, every recipient is accepted; without `onData`, emails are recorded. */
  setHandlers(handlers: Pick<SMTPServerOptions, 'onData' | 'onRcptTo'>): void
  close(): Promise<void>
}

/** Requires no login unless `options` has `onAuth`. */
export async function startSmtpReceiver(options: SMTPServerOptions = {}, port = 0): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = []
  const record: SMTPServer['onData'] = async (stream, session, done) => {
    // A server that stops closes the connection in the middle of an email.
    const raw = await text(stream).catch(() => undefined)
    if (raw === undefined) return done(new Error('the email is incomplete'))
    const { mailFrom, rcptTo } = session.envelope
    received.push({
      from: mailFrom === false ? '' : mailFrom.address,
      to: rcptTo.map(({ address }) => address),
      raw,
      mail: await PostalMime.parse(raw),
      usesTls: session.secure,
      user: session.user,
    })
    done(null, 'queued as 12345')
  }
  const server = new SMTPServer({
    disabledCommands: options.onAuth === undefined ? ['AUTH'] : [],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onData: record,
    ...options,
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    setHandlers({ onData = record, onRcptTo = (_address, _session, done) => done() }) {
      Object.assign(server, { onData, onRcptTo })
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
