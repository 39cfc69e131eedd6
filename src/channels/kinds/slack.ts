/**
 * Sends messages through an incoming webhook of Slack, or of a compatible service such as Mattermost and Rocket.Chat.
 */

import type { MailLink } from '../../mail/parts.ts'
import type { ChannelKind, ChannelMessage, MessageFact, MessageSummary } from '../common/channel.ts'
import { webhookUrlField } from '../common/fields.ts'
import { markers } from '../common/markers.ts'
import { escapeMarkup, escapeWithin, formatHeadline, formatMessage, shorten } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'

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

/** Slack rejects messages that exceed these limits. */
const MAX_HEADER_LENGTH = 150
const MAX_SECTION_LENGTH = 3_000
const MAX_FIELD_LENGTH = 2_000
const MAX_FIELDS_PER_SECTION = 10

const plainText = (text: string) => ({ type: 'plain_text', text })

/** `verbatim` keeps Slack from turning names such as @here into mentions. */
const markdownText = (text: string) => ({ type: 'mrkdwn', text, verbatim: true })

export function createSlackBlocks(message: ChannelMessage): object[] {
  const { text = '', summary, facts = [], links = [] } = message
  const longFacts = facts.filter(({ isLong }) => isLong)
  const shortFacts = facts.filter(({ isLong }) => !isLong).slice(0, MAX_FIELDS_PER_SECTION)
  return [
    { type: 'header', text: plainText(shorten(formatHeadline(message), MAX_HEADER_LENGTH)) },
    ...(summary === undefined ? createTextSections(text) : createSummarySections(summary)),
    ...longFacts.map((fact) => ({ type: 'section', text: markdownText(formatFact(fact, MAX_SECTION_LENGTH)) })),
    ...(shortFacts.length === 0
      ? []
      : [
          {
            type: 'section',
            fields: shortFacts.map((fact) => markdownText(formatFact(fact, MAX_FIELD_LENGTH))),
          },
        ]),
    ...(links.length === 0 ? [] : [{ type: 'section', text: markdownText(links.map(formatPageLink).join('  ·  ')) }]),
    { type: 'context', elements: [plainText('Sent by Belfry')] },
  ]
}

const createTextSections = (text: string) =>
  text === '' ? [] : [{ type: 'section', text: plainText(shorten(text, MAX_SECTION_LENGTH)) }]

/** Each section holds as many lines as fit. */
function createSummarySections({ sections, moreCount }: MessageSummary): object[] {
  const lines = sections.flatMap(({ state, entries }) => [
    ...(sections.length > 1 ? [`*${markers[state].word}*`] : []),
    ...entries.map(({ name, detail, url, acknowledgeUrl }) => {
      const nameText = url === undefined ? escapeMarkup(name) : `<${escapeUrl(url)}|${escapeMarkup(name)}>`
      const acknowledgeText = acknowledgeUrl === undefined ? '' : `  ·  <${escapeUrl(acknowledgeUrl)}|Acknowledge>`
      return `• *${nameText}*${detail && `  ${escapeMarkup(detail)}`}${acknowledgeText}`
    }),
  ])
  if (moreCount > 0) lines.push(`and ${moreCount} more`)
  const texts: string[] = []
  for (const line of lines) {
    const last = texts.at(-1)
    if (last !== undefined && last.length + line.length < MAX_SECTION_LENGTH)
      texts[texts.length - 1] = `${last}\n${line}`
    else texts.push(line)
  }
  return texts.map((text) => ({ type: 'section', text: markdownText(text) }))
}

/**
 * Formats a link instead of a button: after a click on a button, even one that only opens a URL, Slack shows a warning
 * unless the app of the webhook has a server that acknowledges the click.
 */
function formatPageLink({ label, url }: MailLink, index: number): string {
  const link = `<${escapeUrl(url)}|${escapeMarkup(label)}>`
  return index === 0 ? `*${link}*` : link
}

function formatFact({ label, value }: MessageFact, maxLength: number): string {
  const heading = `*${escapeMarkup(label)}*\n`
  return `${heading}${formatValue(value, maxLength - heading.length)}`
}

function formatValue(value: string, maxLength: number): string {
  const link = formatLink(value)
  return link !== undefined && link.length <= maxLength ? link : escapeWithin(value, maxLength, escapeMarkup)
}

/** Turns a URL into a link, because `verbatim` also stops Slack from finding URLs. */
function formatLink(value: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(value) || value.endsWith('…')) return undefined
  return `<${escapeUrl(value)}>`
}

/** A vertical bar would end the URL and begin the text of the link. */
const escapeUrl = (url: string) =>
  escapeMarkup(url.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'))
