/** Sends messages through the webhook of a Discord channel. */
import type { MailTone } from '../../mail/parts.ts'
import type { ChannelKind, ChannelMessage, MessageFact } from '../common/channel.ts'
import { webhookUrlField } from '../common/fields.ts'
import { markers } from '../common/markers.ts'
import { escapeMarkdown, escapeWithin, findLink, formatHeadline } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'

/** Discord rejects embeds that exceed these limits. */
const MAX_TITLE_LENGTH = 256
const MAX_DESCRIPTION_LENGTH = 4_096
const MAX_FIELD_LENGTH = 1_024
const MAX_FIELDS = 25
const MAX_EMBED_LENGTH = 6_000

const footer = 'Sent by Belfry'
const PARAGRAPH_BREAK = '\n\n'

const colors: Record<MailTone, number> = {
  down: 0xdf343a,
  reminder: 0xc0392b,
  up: 0x1ba65c,
  warn: 0xc27f06,
  info: 0x0284c7,
  accent: 0x4f46e5,
}

function createEmbed(message: ChannelMessage): object {
  const { kind, text = '', facts = [], links = [] } = message
  const title = escapeWithin(formatHeadline(message), MAX_TITLE_LENGTH, escapeMarkdown)
  const linkLine = links.map(({ label, url }) => `[${escapeMarkdown(label)}](<${findLink(url) ?? url}>)`).join(' · ')
  let remainingLength = MAX_EMBED_LENGTH - title.length - footer.length - linkLine.length - PARAGRAPH_BREAK.length
  const fields = facts
    .slice(0, MAX_FIELDS)
    .map(toEmbedField)
    .filter(({ name, value }) => {
      const length = name.length + value.length
      if (length > remainingLength) return false
      remainingLength -= length
      return true
    })
  const maxTextLength = Math.min(
    MAX_DESCRIPTION_LENGTH - linkLine.length - PARAGRAPH_BREAK.length,
    Math.max(1, remainingLength),
  )
  const shortText = escapeWithin(text, maxTextLength, escapeMarkdown)
  const description = [shortText, linkLine].filter(Boolean).join(PARAGRAPH_BREAK)
  return {
    title,
    ...(links[0] !== undefined && { url: links[0].url }),
    ...(description !== '' && { description }),
    color: colors[markers[kind].tone],
    ...(fields.length > 0 && { fields }),
    footer: { text: footer },
  }
}

function toEmbedField({ label, value, isLong = false }: MessageFact) {
  const link = findLink(value)
  const formattedValue =
    link !== undefined && link.length + 2 <= MAX_FIELD_LENGTH
      ? `<${link}>`
      : escapeWithin(value, MAX_FIELD_LENGTH, escapeMarkdown)
  return { name: label, value: formattedValue, inline: !isLong }
}

/** With `wait`, Discord responds only after it has stored the message. */
function addWait(webhookUrl: string): string {
  const url = new URL(webhookUrl)
  url.searchParams.set('wait', 'true')
  return url.href
}

export const discord: ChannelKind<'webhook_url'> = {
  label: 'Discord',
  receiver: 'Discord',
  testEmoji: '🔔',
  maxConcurrent: 100,
  // Discord allows 4,096 characters, and escaping can double the length of the list.
  summaryLimits: { maxMonitors: 75, maxBytes: 1_950 },
  fields: {
    webhook_url: webhookUrlField(
      'URL of the webhook of a channel',
      'https://discord.com/api/webhooks/1234567890/abcdef123456',
      'https://discord.com/api/webhooks/…',
    ),
  },
  async send({ webhook_url }, message, { transports, signal }) {
    const response = await postJson({
      service: 'Discord',
      url: addWait(webhook_url as string),
      // A monitor named @everyone must not notify everyone.
      body: JSON.stringify({ embeds: [createEmbed(message)], allowed_mentions: { parse: [] } }),
      message,
      dispatcher: transports.guardedAgent,
      signal,
      readReason: ({ message: reason }) => reason,
      readRetryAfter: ({ retry_after: seconds }) => (typeof seconds === 'number' ? Math.ceil(seconds) : undefined),
    })
    // Discord's response contains the whole message. Its id is enough for the log.
    return typeof response.json['id'] === 'string' ? `message ${response.json['id']}` : describeResponse(response)
  },
}
