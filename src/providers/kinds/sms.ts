/** Text messages, through an endpoint of Twilio's Messages form. */
import { shorten } from '../../lib/shorten.ts'
import { isPassing, post, refusal, said } from '../post.ts'
import { DeliveryError, type Kind, type Message, textOf, textWithoutLink } from '../provider.ts'
import { fitsOneSegment } from '../sms-segment.ts'

/** Ten parts of a long message; Twilio takes no more. */
const TEXT_MOST = 1_600

/** With these it is the operator's account that is refused, not the number. */
const ofAccount = new Set([401, 403, 404])

/** A link is no reason for a second part, which the operator pays for. */
function textFor(message: Message): string {
  const whole = textOf(message)
  return fitsOneSegment(whole) ? whole : textWithoutLink(message)
}

export const sms: Kind<'phone_number'> = {
  label: 'SMS',
  testMark: '',
  // All of them through the operator's one account.
  atOnce: 20,
  fields: {
    phone_number: {
      description: 'In the form of E.164',
      example: '+4915112345678',
      schema: { minLength: 1, maxLength: 16 },
      required: true,
      secret: false,
      read: (text) =>
        /^\+[1-9]\d{6,14}$/.test(text)
          ? { value: text }
          : { faults: ['must be a number such as +4915112345678, with its country and without spaces'] },
    },
  },
  async send({ phone_number }, message, { transports, signal }) {
    const { sms: account } = transports
    if (account === undefined) {
      throw new DeliveryError('This server cannot send text messages yet: BELFRY_SMS_URL is not set')
    }
    const credentials = Buffer.from(`${account.account}:${account.token}`).toString('base64')
    const text = shorten(textFor(message), TEXT_MOST)
    const answer = await post({
      service: 'The SMS service',
      url: account.url,
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ To: phone_number as string, From: account.from, Body: text }).toString(),
      message,
      dispatcher: transports.plain,
      signal,
    })
    const { status, json } = answer
    if (status >= 200 && status < 300) return said(json['status']) || String(status)
    const permanent = status >= 400 && !isPassing(status) && !ofAccount.has(status)
    throw refusal('The SMS service', answer, json['message'] ?? answer.text, permanent)
  },
}
