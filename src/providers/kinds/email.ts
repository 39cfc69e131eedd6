/** Mail, through the operator's mail server. */
import { createTransport } from 'nodemailer'
import { networkFault } from '../../lib/outgoing/network-fault.ts'
import { said } from '../post.ts'
import { DeliveryError, type Kind, type Message } from '../provider.ts'

type Mail = { url: string; from: string }

const isLoopback = (host: string) => /^(localhost|127\..*|\[::1\])$/.test(host)

/** A password is not sent in the clear, unless to this machine or where the operator says so in the URL. */
function needsTls(url: URL): boolean {
  const isDecided = ['requireTLS', 'ignoreTLS'].some((name) => url.searchParams.has(name))
  return url.protocol === 'smtp:' && url.username !== '' && !isDecided && !isLoopback(url.hostname)
}

function connect({ url }: Mail, timeoutMs: number) {
  return createTransport({
    url,
    ...(needsTls(new URL(url)) && { requireTLS: true }),
    dnsTimeout: timeoutMs,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageIdOf({ id }: Message, { from }: Mail): string {
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'belfry'
  return `<${id}@${domain}>`
}

interface MailError extends Error {
  code?: string
  response?: string
  responseCode?: number
  permanent?: boolean
}

function failure(error: MailError): DeliveryError {
  const words = said(error.response)
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH') {
    // The operator's account, not the recipient: nothing to give up for.
    return new DeliveryError(`The mail server refused to let this server sign in${words && `: ${words}`}.`)
  }
  if (error.code === 'ETLS') {
    const reason = words || (networkFault(error)?.sentence ?? 'it offers none')
    return new DeliveryError(`The mail server was not reached through TLS: ${reason}.`)
  }
  if (words !== '') {
    return new DeliveryError(`The mail server answered: ${words}.`, { permanent: error.permanent === true })
  }
  const fault = networkFault(error)
  if (fault === undefined) return new DeliveryError('The mail server did not take the message.')
  return new DeliveryError(`The mail server was not reached: ${fault.sentence}.`, {
    uncertain: fault.cause === 'timeout',
  })
}

/** nodemailer knows no signals: its own limits end what we no longer wait for. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = () => reject(new DeliveryError('The mail server did not answer in time.', { uncertain: true }))
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end))
}

/** Longer than any attempt may take. */
const SOCKET_MS = 15_000

/** Connects and signs in, without sending anything. Rejects with a DeliveryError. */
export async function greetMailServer(mail: Mail, signal: AbortSignal): Promise<void> {
  const transport = connect(mail, SOCKET_MS)
  try {
    await untilAborted(transport.verify(), signal)
  } catch (error) {
    throw error instanceof DeliveryError ? error : failure(error as MailError)
  } finally {
    transport.close()
  }
}

export const email: Kind<'recipient_email'> = {
  label: 'E-mail',
  testMark: '✅',
  fields: {
    recipient_email: {
      description: 'Who gets the mail',
      example: 'ops@example.com',
      schema: { format: 'email', maxLength: 254 },
      required: true,
      secret: false,
    },
  },
  async send({ recipient_email }, message, { transports: { mail }, signal }) {
    if (mail === undefined) {
      throw new DeliveryError('This server cannot send e-mail yet: BELFRY_SMTP_URL and BELFRY_MAIL_FROM are not set.')
    }
    const transport = connect(mail, SOCKET_MS)
    try {
      const sending = transport.sendMail({
        from: mail.from,
        // As an object: as a text it would be read as a list.
        to: { name: '', address: recipient_email as string },
        subject: message.title,
        text: `${message.title}\n\n${message.text}\n`,
        messageId: messageIdOf(message, mail),
        headers: { 'Auto-Submitted': 'auto-generated', 'X-Belfry-Message-Id': message.id },
      })
      return said((await untilAborted(sending, signal)).response)
    } catch (error) {
      throw error instanceof DeliveryError ? error : failure(error as MailError)
    } finally {
      transport.close()
    }
  },
}
