/** Incoming webhooks of Slack and compatible services such as Mattermost and Rocket.Chat. */

import type { ChannelKind } from '../channel.ts'
import { webhookUrlField } from '../fields.ts'
import { escapeMarkup, formatMessage } from '../message-text.ts'
import { describeResponse, postJson } from '../post.ts'
import { createSlackBlocks } from '../slack-blocks.ts'

const optionalField = (description: string, example: string) => ({
  description,
  example,
  schema: { minLength: 1, maxLength: 80 },
  isRequired: false,
  isSecret: false,
})

export const slack: ChannelKind<'webhook_url' | 'channel' | 'username'> = {
  label: 'Slack',
  receiver: 'Slack',
  testEmoji: '🔔',
  maxConcurrent: 100,
  summaryLimits: { maxMonitors: 300, maxBytes: 30_000 },
  fields: {
    webhook_url: webhookUrlField(
      'URL of the incoming webhook',
      'https://hooks.slack.com/services/T000/B000/abcdef123456',
      'https://hooks.slack.com/services/…',
    ),
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
    const response = await postJson({
      service: 'Slack',
      url: webhook_url as string,
      body: JSON.stringify(content),
      message,
      dispatcher: transports.guardedAgent,
      signal,
    })
    return describeResponse(response)
  },
}
