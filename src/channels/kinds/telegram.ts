/** Sends messages to a Telegram chat, as a bot. */

import { escapeHtml, truncate } from '../../lib/text.ts'
import type { ChannelKind, ChannelMessage, MessageSummary } from '../common/channel.ts'
import { markers } from '../common/markers.ts'
import { escapeMarkup } from '../common/message-text.ts'
import { createRejection, isTemporaryStatus, postMessage } from '../common/post.ts'

/** Telegram always sends `retry_after` in the body, and only sometimes the Retry-After header. */
function readRetryAfter({ parameters }: Record<string, unknown>): number | undefined {
  const { retry_after: seconds } = (parameters ?? {}) as { retry_after?: unknown }
  return typeof seconds === 'number' ? seconds : undefined
}

/** The response is stored with the alert, so that the recovery can reply to the message. */
function describeSentMessage({ result }: Record<string, unknown>): string {
  const { message_id: id } = (result ?? {}) as { message_id?: unknown }
  return typeof id === 'number' ? `message ${id}` : 'ok'
}

/** If somebody has deleted the announcement, Telegram still sends the message. */
function replyToAnnouncement({ announcementResponse = '' }: ChannelMessage): object {
  const id = /^message (\d+)$/.exec(announcementResponse)?.[1]
  return id === undefined ? {} : { reply_parameters: { message_id: Number(id), allow_sending_without_reply: true } }
}

export const telegram: ChannelKind<'chat_id' | 'token'> = {
  label: 'Telegram',
  receiver: 'Telegram',
  testEmoji: '🧪',
  maxConcurrent: 100,
  summaryLimits: { maxMonitors: 75, maxBytes: 3_700 },
  fields: {
    chat_id: {
      description: 'Numeric id of a chat, or the @name of a channel',
      example: '-1001234567890',
      // Telegram itself writes ids as JSON numbers, so both types are accepted.
      schema: {
        type: ['string', 'integer'],
        minLength: 1,
        maxLength: 64,
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      isRequired: true,
      isSecret: false,
      parse: (text) =>
        /^(-?\d{1,20}|@\w+)$/.test(text)
          ? { value: text }
          : { errors: ['must be a number such as -1001234567890 or a name such as @mychannel'] },
    },
    token: {
      description: 'Token of the bot',
      example: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
      schema: { minLength: 1, maxLength: 255 },
      isRequired: true,
      isSecret: true,
      // The token becomes part of a URL path, so it must not contain characters such as / and ?.
      parse: (text) => (/^[\w:-]+$/.test(text) ? { value: text } : { errors: ['must be a bot token from @BotFather'] }),
    },
  },
  async send({ chat_id, token }, message, { transports, signal }) {
    const response = await postMessage({
      service: 'Telegram',
      url: `${transports.telegramApi}/bot${token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id,
        text: formatTelegramHtml(message),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
        ...replyToAnnouncement(message),
      }),
      message,
      dispatcher: transports.unguardedAgent,
      signal,
    })
    const { status, json, isComplete } = response
    // A server that isn't Telegram's may respond with 200, too, so the body must say "ok". A truncated body can't be parsed
    // and counts as a success.
    if (status === 200 && (json['ok'] === true || !isComplete)) return describeSentMessage(json)
    const retryAfterSeconds = readRetryAfter(json) ?? response.retryAfterSeconds
    const permanent = !isTemporaryStatus(status) && status >= 400
    throw createRejection('Telegram', { status, retryAfterSeconds }, json['description'], permanent)
  },
}

/** Telegram counts the characters that readers see, without tags, and rejects longer messages. */
const MAX_VISIBLE_LENGTH = 4_096

interface Segment {
  text: string
  tag?: 'b'
  url?: string
}

export function formatTelegramHtml(message: ChannelMessage): string {
  const body = listBodySegments(message)
  const links = listLinkSegments(message)
  return [...cutSegments(body, MAX_VISIBLE_LENGTH - countCharacters(links)), ...links].map(formatSegment).join('')
}

function listBodySegments({ kind, title, text = '', summary, facts = [] }: ChannelMessage): Segment[] {
  const { symbol } = markers[kind]
  return [
    // The title of a test has no tag, because receivers expect the text to start with "Test notification".
    ...(symbol === '' ? [{ text: title }] : [{ text: `${symbol} ` }, { text: title, tag: 'b' as const }]),
    ...(summary === undefined ? [{ text: text && `\n${text}` }] : listSummarySegments(summary)),
    ...facts.flatMap(({ label, value }, index) => [
      { text: index === 0 ? '\n\n' : '\n' },
      { text: `${label}:`, tag: 'b' as const },
      { text: ` ${value}` },
    ]),
  ]
}

function listSummarySegments({ sections, moreCount }: MessageSummary): Segment[] {
  return [
    { text: '\n' },
    ...sections.flatMap(({ state, entries }) => [
      ...(sections.length > 1 ? [{ text: `\n${markers[state].symbol} ${markers[state].word}` }] : []),
      ...entries.flatMap(({ name, detail, url, acknowledgeUrl }) => [
        { text: '\n' },
        // A linked name has no bold tag, because Telegram ignores all tags after the first 100.
        url !== undefined && canBeLink(url) ? { text: name, url } : { text: name, tag: 'b' as const },
        { text: detail && `: ${detail}` },
        ...(acknowledgeUrl !== undefined && canBeLink(acknowledgeUrl)
          ? [{ text: ' · ' }, { text: 'Acknowledge', url: acknowledgeUrl }]
          : []),
      ]),
    ]),
    { text: moreCount === 0 ? '' : `\nand ${moreCount} more` },
  ]
}

function listLinkSegments({ links = [] }: ChannelMessage): Segment[] {
  return links.flatMap(({ label, url }, index) => {
    const separator = { text: index === 0 ? '\n\n' : '\n' }
    return canBeLink(url) ? [separator, { text: label, url }] : [separator, { text: `${label}: ${url}` }]
  })
}

/** Telegram makes no links to hosts without a dot, such as localhost, so readers need the URL itself. */
const canBeLink = (url: string) => URL.parse(url)?.hostname.includes('.') === true

const countCharacters = (segments: readonly Segment[]) => segments.reduce((sum, { text }) => sum + text.length, 0)

/** Cuts the text before it is escaped, so that no tag and no entity is cut in half. */
function cutSegments(segments: readonly Segment[], maxLength: number): Segment[] {
  if (countCharacters(segments) <= maxLength) return [...segments]
  let remaining = maxLength - 1
  const keptSegments = segments.map((segment) => {
    const text = truncate(segment.text, remaining)
    remaining = text.length < segment.text.length ? 0 : remaining - text.length
    return { ...segment, text }
  })
  return [...keptSegments, { text: '…' }]
}

function formatSegment({ text, tag, url }: Segment): string {
  if (text === '') return ''
  if (url !== undefined) return `<a href="${escapeHtml(url)}">${escapeMarkup(text)}</a>`
  return tag === undefined ? escapeMarkup(text) : `<${tag}>${escapeMarkup(text)}</${tag}>`
}
