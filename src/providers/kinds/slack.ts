/** Incoming webhooks of Slack and compatible services such as Mattermost and Rocket.Chat. */
import type { ParseResult } from '../../lib/field-parser.ts'
import { parseHttpUrl } from '../../lib/network-address.ts'
import { escapeMarkup, formatMessage } from '../message-text.ts'
import { createRejection, isTemporaryStatus, postMessage, toSingleLine } from '../post.ts'
import type { ProviderKind, ProviderRules } from '../provider.ts'
import { createSlackBlocks } from '../slack-blocks.ts'

function parseWebhook(text: string, { allowsHttp }: ProviderRules): ParseResult<string> {
  const url = parseHttpUrl(text)
  if (url === 'login') return { errors: ['must not contain a user name or password'] }
  if (url?.protocol === 'https:' || (allowsHttp && url !== undefined)) return { value: text }
  return {
    errors: [`must be an ${allowsHttp ? 'http or ' : ''}https URL such as https://hooks.slack.com/services/…`],
  }
}

const optionalField = (description: string, example: string) => ({
  description,
  example,
  schema: { minLength: 1, maxLength: 80 },
  isRequired: false,
  isSecret: false,
})

export const slack: ProviderKind<'webhook_url' | 'channel' | 'username'> = {
  label: 'Slack',
  receiver: 'Slack',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    webhook_url: {
      description: 'URL of the incoming webhook',
      example: 'https://hooks.slack.com/services/T000/B000/XXXX',
      schema: { minLength: 1, maxLength: 2_048 },
      isRequired: true,
      isSecret: true,
      parse: parseWebhook,
    },
    channel: optionalField('Channel to post to, instead of the default channel of the webhook', '#ops'),
    username: optionalField('Name of the sender, instead of the default name of the webhook', 'Belfry'),
  },
  async send({ webhook_url, channel, username }, message, { transports, signal }) {
    const content = {
      // Slack shows the text only in its notifications. Compatible services without Block Kit show it as the message.
      text: escapeMarkup(formatMessage(message)),
      blocks: createSlackBlocks(message),
      ...(channel !== null && { channel }),
      ...(username !== null && { username }),
    }
    const response = await postMessage({
      service: 'Slack',
      url: webhook_url as string,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(content),
      message,
      dispatcher: transports.guardedAgent,
      signal,
    })
    const { status, text } = response
    if (status >= 200 && status < 300) return toSingleLine(text) || String(status)
    // A redirect is an error too: following it would turn the POST into a GET and lose the message.
    throw createRejection('Slack', response, text, !isTemporaryStatus(status))
  },
}
