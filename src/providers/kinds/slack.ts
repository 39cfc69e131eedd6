/** An incoming webhook of Slack, or of whatever speaks the same (Mattermost, Rocket.Chat). */
import type { Reading } from '../../lib/reading.ts'
import { findWebAddress } from '../../lib/web-address.ts'
import { escapeMarkup } from '../escape-markup.ts'
import { isPassing, post, refusal, said } from '../post.ts'
import { type Kind, type Rules, textOf } from '../provider.ts'

function readWebhook(text: string, { allowsHttp }: Rules): Reading<string> {
  const url = findWebAddress(text)
  if (url === 'login') return { faults: ['must not contain a name or password'] }
  if (url?.protocol === 'https:' || (allowsHttp && url !== undefined)) return { value: text }
  return {
    faults: [`must be an ${allowsHttp ? 'http or ' : ''}https address such as https://hooks.slack.com/services/…`],
  }
}

const optional = (description: string, example: string) => ({
  description,
  example,
  schema: { minLength: 1, maxLength: 80 },
  required: false,
  secret: false,
})

export const slack: Kind<'webhook_url' | 'channel' | 'username'> = {
  label: 'Slack',
  testMark: '🔔',
  atOnce: 100,
  fields: {
    webhook_url: {
      description: 'The incoming webhook',
      example: 'https://hooks.slack.com/services/T000/B000/XXXX',
      schema: { minLength: 1, maxLength: 2_048 },
      required: true,
      secret: true,
      read: readWebhook,
    },
    channel: optional('Where to post, instead of where the webhook says', '#ops'),
    username: optional('Whom it comes from, instead of whom the webhook says', 'Belfry'),
  },
  async send({ webhook_url, channel, username }, message, { transports, signal }) {
    const content = {
      text: escapeMarkup(textOf(message)),
      ...(channel !== null && { channel }),
      ...(username !== null && { username }),
    }
    const answer = await post({
      service: 'Slack',
      url: webhook_url as string,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
      message,
      dispatcher: transports.guarded,
      signal,
    })
    const { status, text } = answer
    if (status >= 200 && status < 300) return said(text) || String(status)
    // Also a redirect: whoever follows it turns the POST into a GET, and the message is gone.
    throw refusal('Slack', answer, text, !isPassing(status))
  },
}
