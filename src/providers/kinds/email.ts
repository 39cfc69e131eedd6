/** Mail, through the operator's mail server. */
import { connect as dial } from 'node:net'
import { mayHaveArrived, networkFault } from '../../outgoing/network-fault.ts'
import { said } from '../post.ts'
import { DeliveryError, type Kind, linkLineOf } from '../provider.ts'

type Mail = { url: string; from: string }

export interface Letter {
  /** The same each time that it is sent, so that a repeat can be told. */
  id: string
  to: string
  subject: string
  text: string
  html?: string
  headers?: Record<string, string>
}

const SUBMISSION_PORT = 587
const SMTPS_PORT = 465

const isLoopback = (host: string) => /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host)

/** A password is not sent in the clear, unless to this machine or where the operator says so in the URL. */
function needsTls(url: URL): boolean {
  const isDecided = ['requireTLS', 'ignoreTLS'].some((name) => url.searchParams.has(name))
  return url.protocol === 'smtp:' && url.username !== '' && !isDecided && !isLoopback(url.hostname)
}

/** On a socket of ours, so that it ends with the attempt: nodemailer's own limits count silence only. */
async function connect({ url }: Mail, signal: AbortSignal) {
  // Only now: it takes 10 MB, and not everybody sends mail.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    ...(needsTls(new URL(url)) && { requireTLS: true }),
    getSocket: ({ host, port, secure }, callback) => {
      const fallback = secure ? SMTPS_PORT : SUBMISSION_PORT
      const connection = dial({ host: host ?? '', port: Number(port ?? fallback), signal })
      connection.once('error', callback)
      connection.once('connect', () => {
        connection.off('error', callback)
        callback(null, { connection })
      })
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageIdOf({ id }: Letter, { from }: Mail): string {
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'belfry'
  return `<${id}@${domain}>`
}

interface MailError extends Error {
  code?: string
  /** What was said to it. */
  command?: string
  response?: string
  responseCode?: number
  permanent?: boolean
}

/** Other refusals, and those of class 5.7, are of this server: its operator will mend them. */
function isOfRecipient({ command, permanent, response = '' }: MailError): boolean {
  return permanent === true && command === 'RCPT TO' && !/^5(30|\d\d[ -]5\.7\.)/.test(response)
}

function failure(error: MailError): DeliveryError {
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH') {
    // The operator's account, not the recipient: nothing to give up for. And nothing to repeat: some servers send back
    // the login that they refuse.
    const code = error.responseCode === undefined ? '' : ` (${error.responseCode})`
    return new DeliveryError(`The mail server refused to let this server sign in${code}`)
  }
  const words = said(error.response)
  const fault = networkFault(error)
  if (error.code === 'ETLS') {
    return new DeliveryError('The mail server was not reached through TLS', { said: words || (fault?.sentence ?? '') })
  }
  if (words !== '') {
    return new DeliveryError('The mail server answered', { said: words, permanent: isOfRecipient(error) })
  }
  const sentence = fault?.sentence ?? 'the connection failed'
  return new DeliveryError(`The mail server was not reached: ${sentence}`, { uncertain: mayHaveArrived(fault) })
}

/** nodemailer knows no signals, and does not always notice that its socket is gone. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const end = () => reject(new DeliveryError('The mail server did not answer in time', { uncertain: true }))
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', end))
}

type Transport = Awaited<ReturnType<typeof connect>>

async function withTransport<T>(
  mail: Mail,
  signal: AbortSignal,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const transport = await connect(mail, signal)
  try {
    return await untilAborted(work(transport), signal)
  } catch (error) {
    throw error instanceof DeliveryError ? error : failure(error as MailError)
  } finally {
    transport.close()
  }
}

/** Connects and signs in, without sending anything. Rejects with a DeliveryError. */
export async function greetMailServer(mail: Mail, signal: AbortSignal): Promise<void> {
  await withTransport(mail, signal, (transport) => transport.verify())
}

/** Resolves with what the mail server said; rejects with a DeliveryError. */
export async function sendLetter(mail: Mail | undefined, letter: Letter, signal: AbortSignal): Promise<string> {
  if (mail === undefined) {
    throw new DeliveryError('This server cannot send e-mail yet: BELFRY_SMTP_URL and BELFRY_MAIL_FROM are not set')
  }
  const { id, to, subject, text, html, headers } = letter
  const { response } = await withTransport(mail, signal, (transport) =>
    transport.sendMail({
      from: mail.from,
      // As an object: as a text it would be read as a list.
      to: { name: '', address: to },
      subject,
      text,
      ...(html !== undefined && { html }),
      messageId: messageIdOf(letter, mail),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Belfry-Message-Id': id, ...headers },
    }),
  )
  return said(response)
}

export const email: Kind<'recipient_email'> = {
  label: 'E-mail',
  testMark: '✅',
  // Mail servers let in a few connections of one client.
  atOnce: 10,
  fields: {
    recipient_email: {
      description: 'Who gets the mail',
      example: 'ops@example.com',
      schema: { format: 'email', maxLength: 254 },
      required: true,
      secret: false,
    },
  },
  send({ recipient_email }, message, { transports: { mail }, signal }) {
    const { id, title } = message
    const text = [title, message.text, linkLineOf(message)].filter(Boolean).join('\n\n')
    return sendLetter(mail, { id, to: recipient_email as string, subject: title, text: `${text}\n` }, signal)
  },
}
