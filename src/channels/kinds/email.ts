/** Sends messages as emails, through the operator's mail server. */
import { connect as connectSocket } from 'node:net'
import { markAttachment } from '../../mail/mark.ts'
import { DeliveryError } from '../../outbox/delivery-error.ts'
import { findNetworkFault, mayHaveArrived } from '../../outgoing/network-fault.ts'
import { MAX_EMAIL_LENGTH } from '../../shared/limits.ts'
import type { ChannelKind } from '../common/channel.ts'
import { chooseMailTls } from '../common/mail-tls.ts'
import { markers } from '../common/markers.ts'
import { formatMessageEmailHtml, formatMessageEmailText } from '../common/message-html.ts'
import { formatHeadline } from '../common/message-text.ts'
import { toSingleLine } from '../common/post.ts'
import { formatMailSubject, listMailReferences } from '../common/thread.ts'

type MailSettings = { url: string; from: string }

export interface Email {
  /** The id is the same for every attempt, so that mail programs can recognize a repeat. */
  id: string
  to: string | readonly string[]
  subject: string
  text: string
  html?: string
  headers?: Record<string, string>
  /** Ids of earlier emails that mail programs should show together with this one. */
  inReplyTo?: readonly string[]
  /** Ids that all emails of a thread refer to. No email has such an id. */
  references?: readonly string[]
}

const SUBMISSION_PORT = 587
const SMTPS_PORT = 465

/** Opens the socket itself, so that the signal can close it: nodemailer's timeouts only limit inactivity. */
async function openMailTransport({ url }: MailSettings, signal: AbortSignal) {
  // nodemailer is loaded on first use, because it takes 10 MB and many servers send no email.
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    ...chooseMailTls(new URL(url)),
    getSocket: ({ host, port, secure }, callback) => {
      const defaultPort = secure ? SMTPS_PORT : SUBMISSION_PORT
      const connection = connectSocket({ host: host ?? '', port: Number(port ?? defaultPort), signal })
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

/** `domains` are in lower case. Without them, every address is allowed. */
export function isMailDomainAllowed(domains: readonly string[] | undefined, address: string): boolean {
  return domains === undefined || domains.includes(address.slice(address.lastIndexOf('@') + 1).toLowerCase())
}

function formatMessageId(id: string, { from }: MailSettings): string {
  const domain = /@([^@>\s]+)>?$/.exec(from)?.[1] ?? 'belfry'
  return `<${id}@${domain}>`
}

interface NodemailerError extends Error {
  code?: string
  /** The SMTP command that failed. */
  command?: string
  response?: string
  responseCode?: number
  permanent?: boolean
}

/**
 * Whether the mail server permanently rejects the recipient. After any other error, Belfry retries, because the
 * operator may fix the cause. That includes the codes 530 and 5.7.x, which reject Belfry's own account.
 */
function rejectsRecipient({ command, permanent, response = '' }: NodemailerError): boolean {
  return permanent === true && command === 'RCPT TO' && !/^5(30|\d\d[ -]5\.7\.)/.test(response)
}

function toDeliveryError(error: NodemailerError): DeliveryError {
  if (error.code === 'EAUTH' || error.code === 'ENOAUTH') {
    // Omits the response, because some servers repeat the rejected login. The error is not permanent, because the operator
    // can fix the account.
    const code = error.responseCode === undefined ? '' : ` (${error.responseCode})`
    return new DeliveryError(`The mail server rejected Belfry's login${code}`)
  }
  const response = toSingleLine(error.response)
  const fault = findNetworkFault(error)
  if (error.code === 'ETLS') {
    return new DeliveryError('The TLS connection to the mail server failed', {
      response: response || (fault?.description ?? ''),
    })
  }
  if (response !== '') {
    return new DeliveryError('The mail server responded', { response, permanent: rejectsRecipient(error) })
  }
  const reason = fault?.description ?? 'the connection failed'
  return new DeliveryError(`The mail server could not be reached: ${reason}`, { uncertain: mayHaveArrived(fault) })
}

/** nodemailer takes no AbortSignal and does not always notice that its socket was closed. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(new DeliveryError('The mail server did not respond in time', { uncertain: true }))
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort))
}

type MailTransport = Awaited<ReturnType<typeof openMailTransport>>

async function withMailTransport<T>(
  mail: MailSettings,
  signal: AbortSignal,
  work: (transport: MailTransport) => Promise<T>,
): Promise<T> {
  const transport = await openMailTransport(mail, signal)
  try {
    return await rejectOnAbort(work(transport), signal)
  } catch (error) {
    throw error instanceof DeliveryError ? error : toDeliveryError(error as NodemailerError)
  } finally {
    transport.close()
  }
}

/** Connects and logs in without sending anything. Rejects with a DeliveryError. */
export async function verifyMailServer(mail: MailSettings, signal: AbortSignal): Promise<void> {
  await withMailTransport(mail, signal, (transport) => transport.verify())
}

/** Resolves with the mail server's response. Rejects with a DeliveryError. */
export async function sendEmail(mail: MailSettings | undefined, email: Email, signal: AbortSignal): Promise<string> {
  if (mail === undefined) {
    throw new DeliveryError("This server can't send email yet: an admin has to set its mail server")
  }
  const { id, to, subject, text, html, headers, inReplyTo = [], references = [] } = email
  const toMessageIds = (ids: readonly string[]) => ids.map((otherId) => formatMessageId(otherId, mail))
  const { response } = await withMailTransport(mail, signal, (transport) =>
    transport.sendMail({
      from: mail.from,
      // Each address is an object, because nodemailer would split a string at commas.
      to: [to].flat().map((address) => ({ name: '', address })),
      subject,
      text,
      ...(html !== undefined && { html, attachments: [markAttachment] }),
      messageId: formatMessageId(id, mail),
      ...(inReplyTo.length > 0 && { inReplyTo: toMessageIds(inReplyTo).join(' ') }),
      references: toMessageIds([...references, ...inReplyTo]),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Belfry-Message-Id': id, ...headers },
    }),
  )
  return toSingleLine(response)
}

export const email: ChannelKind<'recipient_email'> = {
  label: 'Email',
  receiver: 'The mail server',
  testEmoji: '✅',
  // Mail servers accept only a few connections from one client.
  maxConcurrent: 10,
  summaryLimits: { maxMonitors: 1_000, maxBytes: 200_000 },
  fields: {
    recipient_email: {
      description: 'Email address of the recipient',
      example: 'ops@example.com',
      schema: { format: 'email', maxLength: MAX_EMAIL_LENGTH },
      parse(text, { mailDomains }) {
        if (isMailDomainAllowed(mailDomains, text)) return { value: text }
        return { errors: [`must be an address at ${mailDomains?.join(', ')} (BELFRY_MAIL_DOMAINS)`] }
      },
      isRequired: true,
      isSecret: false,
    },
  },
  send({ recipient_email }, message, { transports: { mail }, signal }) {
    const email = {
      id: message.id,
      to: recipient_email as string,
      subject:
        message.alert === undefined
          ? formatHeadline(message)
          : formatMailSubject(markers[message.kind].symbol, message.alert),
      text: formatMessageEmailText(message),
      html: formatMessageEmailHtml(message),
      references: listMailReferences(message),
      ...(message.inReplyTo !== undefined && { inReplyTo: message.inReplyTo }),
    }
    return sendEmail(mail, email, signal)
  },
}
