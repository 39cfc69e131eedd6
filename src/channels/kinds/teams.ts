/**
 * Sends messages to a channel or chat of Microsoft Teams, through the webhook of a workflow ("When a Teams webhook
 * request is received").
 */
import type { MailTone } from '../../mail/parts.ts'
import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { webhookUrlField } from '../common/fields.ts'
import { markers } from '../common/markers.ts'
import { formatHeadline, formatMessage, shorten } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'

/** Teams rejects messages above 28 KB. These limits leave room for texts whose characters need several bytes. */
const MAX_TITLE_LENGTH = 300
const MAX_TEXT_LENGTH = 3_000
const MAX_FACT_LENGTH = 1_000
const MAX_FACTS = 10

const containerStyles: Record<MailTone, string> = {
  down: 'attention',
  reminder: 'attention',
  up: 'good',
  warn: 'warning',
  info: 'emphasis',
  accent: 'accent',
}

/** A text run shows its text as it is. A text block would interpret Markdown. */
const textRun = (text: string, style: object = {}) => ({ type: 'TextRun', text, ...style })
const richText = (inlines: object[], style: object = {}) => ({ type: 'RichTextBlock', inlines, ...style })

function createAdaptiveCard(message: ChannelMessage): object {
  const { kind, text = '', facts = [], links = [] } = message
  return {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    // This is the newest version that Teams shows on all platforms.
    version: '1.5',
    // Notifications show this text, and so do clients that can't show the card.
    fallbackText: shorten(formatMessage(message), MAX_TEXT_LENGTH),
    msteams: { width: 'Full' },
    body: [
      {
        type: 'Container',
        style: containerStyles[markers[kind].tone],
        bleed: true,
        items: [
          richText([textRun(shorten(formatHeadline(message), MAX_TITLE_LENGTH), { weight: 'Bolder', size: 'Medium' })]),
        ],
      },
      // Each line is a block of its own, because a text run can't contain line breaks.
      ...shorten(text, MAX_TEXT_LENGTH)
        .split('\n')
        .filter(Boolean)
        .map((line) => richText([textRun(line)], { spacing: 'Small' })),
      ...facts.slice(0, MAX_FACTS).map(({ label, value }) =>
        richText([textRun(`${label}: `, { weight: 'Bolder' }), textRun(shorten(value, MAX_FACT_LENGTH))], {
          spacing: 'Small',
        }),
      ),
    ],
    ...(links.length > 0 && {
      actions: links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
    }),
  }
}

export const teams: ChannelKind<'webhook_url'> = {
  label: 'Microsoft Teams',
  receiver: 'Microsoft Teams',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    webhook_url: webhookUrlField(
      'URL of the workflow that posts to a channel or chat',
      'https://prod-00.westeurope.logic.azure.com/workflows/abcdef/triggers/manual/paths/invoke?sig=123456',
      'https://prod-00.westeurope.logic.azure.com/workflows/…',
    ),
  },
  async send({ webhook_url }, message, { transports, signal }) {
    const response = await postJson({
      service: 'Microsoft Teams',
      url: webhook_url as string,
      body: JSON.stringify({
        type: 'message',
        attachments: [
          {
            contentType: 'application/vnd.microsoft.card.adaptive',
            contentUrl: null,
            content: createAdaptiveCard(message),
          },
        ],
      }),
      message,
      dispatcher: transports.guardedAgent,
      signal,
    })
    return describeResponse(response)
  },
}
