/** Sends text messages through Twilio's Messages API or a compatible endpoint. */
import { truncate } from '../../lib/text.ts'
import { DeliveryError } from '../../outbox/delivery-error.ts'
import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { createRejection, isTemporaryStatus, postMessage, toSingleLine } from '../common/post.ts'

/** Twilio rejects longer texts. */
const MAX_TEXT_LENGTH = 1_600

/** These status codes reject the operator's account, not the phone number, so Belfry sends the message again later. */
const accountErrorStatuses = new Set([401, 403, 404])

/**
 * Keeps the text as short as possible, because the operator pays for each segment. A symbol would more than halve the
 * characters of a segment, so only the words of the title show the state. The link to the incident is omitted if it
 * does not fit into the first segment, and the link that acknowledges the incident is omitted first.
 */
function formatText({ title, text = '', facts = [], links = [], subject }: ChannelMessage): string {
  const factLines = facts
    .filter(({ isOptional }) => !isOptional)
    .map(({ label, value, isLong }) => (isLong ? value : `${label}: ${value}`))
  const shortText = toGsmPunctuation([title, text, ...factLines].filter(Boolean).join('\n'))
  const [link] = links
  const textWithLink = link === undefined ? shortText : `${shortText}\nDetails: ${link.url}`
  const textWithLinks = subject?.acknowledgeUrl
    ? `${textWithLink}\nAcknowledge: ${subject.acknowledgeUrl}`
    : textWithLink
  return [textWithLinks, textWithLink].find(fitsOneSegment) ?? shortText
}

export const sms: ChannelKind<'phone_number'> = {
  label: 'SMS',
  receiver: 'The SMS service',
  testEmoji: '',
  // All users share the operator's account, and SMS services limit the requests of an account.
  maxConcurrent: 20,
  // A summary takes two segments if all its characters are in the GSM alphabet. It contains the number of monitors and
  // as many of their names as fit.
  summaryLimits: { maxMonitors: 10_000, maxBytes: 250 },
  fields: {
    phone_number: {
      description: 'Phone number in E.164 format',
      example: '+4915112345678',
      schema: { minLength: 1, maxLength: 16 },
      isRequired: true,
      isSecret: false,
      parse: (text) =>
        /^\+[1-9]\d{6,14}$/.test(text)
          ? { value: text }
          : { errors: ['must be a phone number such as +4915112345678, with country code and without spaces'] },
    },
  },
  async send({ phone_number }, message, { transports, signal }) {
    const { sms: smsConfig } = transports
    if (smsConfig === undefined)
      throw new DeliveryError("This server can't send text messages: BELFRY_SMS_URL is not set")
    const credentials = Buffer.from(`${smsConfig.account}:${smsConfig.token}`).toString('base64')
    const text = truncate(formatText(message), MAX_TEXT_LENGTH)
    const response = await postMessage({
      service: 'The SMS service',
      url: smsConfig.url,
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ To: phone_number as string, From: smsConfig.from, Body: text }).toString(),
      message,
      dispatcher: transports.unguardedAgent,
      signal,
    })
    const { status, json } = response
    if (status >= 200 && status < 300) return toSingleLine(json['status']) || String(status)
    const isPermanent = status >= 400 && !isTemporaryStatus(status) && !accountErrorStatuses.has(status)
    throw createRejection('The SMS service', response, json['message'] ?? response.text, isPermanent)
  },
}

/** Text messages are billed by segment: 160 characters of the GSM alphabet (3GPP TS 23.038), or 70 of UTF-16. */
const MAX_GSM_LENGTH = 160
const MAX_UTF16_LENGTH = 70

const gsmAlphabet = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** The extension table of the alphabet. Each of these characters counts as two. */
const gsmExtension = new Set('^{}\\[~]|€')

export function fitsOneSegment(text: string): boolean {
  const characters = [...text]
  const extensionCount = characters.filter((character) => gsmExtension.has(character)).length
  const isGsm = characters.every((character) => gsmAlphabet.has(character) || gsmExtension.has(character))
  return isGsm ? characters.length + extensionCount <= MAX_GSM_LENGTH : text.length <= MAX_UTF16_LENGTH
}

const gsmPunctuation: Record<string, string> = {
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
  '“': '"',
  '”': '"',
  '’': "'",
  '‘': "'",
}

/** Replaces punctuation that isn't in the GSM alphabet: a single such character would more than halve the length of a segment. */
export function toGsmPunctuation(text: string): string {
  return text.replace(/[–—−…“”’‘]/g, (character) => gsmPunctuation[character] ?? character)
}
