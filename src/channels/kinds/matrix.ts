/** Sends messages to a Matrix room. */
import { escapeHtml } from '../../lib/text.ts'
import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { serverField, tokenField } from '../common/fields.ts'
import {
  escapeWithin,
  findLink,
  formatHeadline,
  formatMessage,
  listSummaryLines,
  shorten,
} from '../common/message-text.ts'
import { describeResponse, postJson, rejectWebPage } from '../common/post.ts'

/** An event can have 65,536 bytes. It contains the text twice, as plain text and as HTML, and a character has up to four bytes. */
const MAX_TEXT_LENGTH = 5_000
/** This limit counts the characters of the HTML, in which one character of the text can become six. */
const MAX_HTML_LENGTH = 14_000
const MAX_FACT_LENGTH = 600

const formatLink = (label: string, url: string) => `<a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`

function formatHtml(message: ChannelMessage): string {
  const { text = '', summary, facts = [], links = [] } = message
  const paragraphs = [
    `<strong>${escapeHtml(shorten(formatHeadline(message), MAX_FACT_LENGTH))}</strong>`,
    summary === undefined
      ? escapeWithin(text, MAX_HTML_LENGTH, escapeHtml).replaceAll('\n', '<br>')
      : listSummaryLines(summary, { escapeText: escapeHtml, formatLink }).join('<br>'),
    facts
      .map(({ label, value }) => {
        const link = findLink(value)
        const valueHtml = escapeWithin(value, MAX_FACT_LENGTH, escapeHtml)
        const linkedHtml = link === undefined ? valueHtml : `<a href="${escapeHtml(link)}">${valueHtml}</a>`
        return `<b>${escapeHtml(label)}:</b> ${linkedHtml}`
      })
      .join('<br>'),
    links.map(({ label, url }) => formatLink(label, url)).join(' · '),
  ]
  return paragraphs
    .filter(Boolean)
    .map((html) => `<p>${html}</p>`)
    .join('')
}

/** A reply stays in the timeline of the room. Many programs hide the messages of a Matrix thread. */
function replyToAnnouncement({ announcementResponse = '' }: ChannelMessage): object {
  const eventId = /^event (\$\S+)$/.exec(announcementResponse)?.[1]
  return eventId === undefined ? {} : { 'm.relates_to': { 'm.in_reply_to': { event_id: eventId } } }
}

export const matrix: ChannelKind<'homeserver' | 'room_id' | 'token'> = {
  label: 'Matrix',
  receiver: 'The Matrix server',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    homeserver: serverField('Address of the homeserver', 'https://matrix.example.com'),
    room_id: {
      description: 'Id of the room, which starts with an exclamation mark',
      example: '!abcdefgh:example.com',
      schema: { minLength: 1, maxLength: 255 },
      isRequired: true,
      isSecret: false,
      parse: (text) =>
        /^![\x21-\x7e]+$/.test(text)
          ? { value: text }
          : { errors: ['must be a room id such as !abcdefgh:example.com, not the name of the room'] },
    },
    token: tokenField('Access token of the user who sends the messages', 'syt_YmVsZnJ5_abcdef_123456'),
  },
  async send({ homeserver, room_id, token }, message, { transports, signal }) {
    const room = encodeURIComponent(room_id as string)
    const response = await postJson({
      service: 'The Matrix server',
      // A server that has already received this transaction id responds with the same event and adds no second message.
      url: `${homeserver}/_matrix/client/v3/rooms/${room}/send/m.room.message/${message.id}`,
      method: 'PUT',
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify({
        msgtype: 'm.text',
        body: shorten(formatMessage(message), MAX_TEXT_LENGTH),
        format: 'org.matrix.custom.html',
        formatted_body: formatHtml(message),
        // Without this, servers look for mentions in the text, and a monitor named @room would notify everyone.
        'm.mentions': {},
        ...replyToAnnouncement(message),
      }),
      message,
      dispatcher: transports.guardedAgent,
      signal,
      readReason: ({ errcode, error }) => [errcode, error].filter(Boolean).join(' ') || undefined,
      readRetryAfter: ({ retry_after_ms: ms }) => (typeof ms === 'number' ? Math.ceil(ms / 1000) : undefined),
    })
    rejectWebPage('a Matrix server', response)
    const { event_id: eventId } = response.json
    return typeof eventId === 'string' ? `event ${eventId}` : describeResponse(response)
  },
}
