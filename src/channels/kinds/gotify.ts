/** Sends messages to a Gotify server, as one of its applications. */

import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { serverField, tokenField } from '../common/fields.ts'
import type { MessageKind } from '../common/markers.ts'
import {
  escapeMarkdown,
  escapeWithin,
  findLink,
  formatHeadline,
  listSummaryLines,
  shorten,
} from '../common/message-text.ts'
import { describeResponse, postJson, rejectWebPage } from '../common/post.ts'

const MAX_TITLE_LENGTH = 250
const MAX_LINE_LENGTH = 1_000

/** At priority 4 and above, phones make a sound. At 8 and above, they also vibrate. */
const priorities: Record<MessageKind, number> = {
  down: 8,
  reminder: 6,
  certificate: 6,
  recovered: 5,
  spike: 5,
  test: 5,
}

const formatLink = (label: string, url: string) => `[${escapeMarkdown(label)}](<${url}>)`

function formatMarkdown({ text = '', summary, facts = [], links = [] }: ChannelMessage): string {
  const escapeLine = (line: string) => escapeWithin(line, MAX_LINE_LENGTH, escapeMarkdown)
  const paragraphs = [
    // Markdown keeps a line break only after two spaces.
    (summary === undefined
      ? text.split('\n').map(escapeLine)
      : listSummaryLines(summary, { escapeText: escapeMarkdown, formatLink })
    ).join('  \n'),
    facts
      .map(({ label, value }) => {
        const link = findLink(value)
        return `**${escapeMarkdown(label)}:** ${link === undefined ? escapeLine(value) : `<${link}>`}`
      })
      .join('  \n'),
    links.map(({ label, url }) => formatLink(label, url)).join(' · '),
  ]
  return paragraphs.filter(Boolean).join('\n\n')
}

export const gotify: ChannelKind<'server' | 'token'> = {
  label: 'Gotify',
  receiver: 'Gotify',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    server: serverField('Address of the server', 'https://gotify.example.com'),
    token: tokenField('Token of the application', 'AWVFeLqTnWkdWRM'),
  },
  async send({ server, token }, message, { transports, signal }) {
    const [link] = message.links ?? []
    const response = await postJson({
      service: 'Gotify',
      url: `${server}/message`,
      headers: { 'x-gotify-key': token as string },
      body: JSON.stringify({
        title: shorten(formatHeadline(message), MAX_TITLE_LENGTH),
        message: formatMarkdown(message),
        priority: priorities[message.kind],
        extras: {
          'client::display': { contentType: 'text/markdown' },
          ...(link !== undefined && { 'client::notification': { click: { url: link.url } } }),
        },
      }),
      message,
      dispatcher: transports.guardedAgent,
      signal,
      readReason: ({ errorDescription }) => errorDescription,
    })
    rejectWebPage('a Gotify server', response)
    return typeof response.json['id'] === 'number' ? `message ${response.json['id']}` : describeResponse(response)
  },
}
