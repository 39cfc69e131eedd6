/** Sends messages through the webhook of a Google Chat space. */
import { escapeHtml } from '../../lib/text.ts'
import type { AlertSubject, ChannelKind, ChannelMessage, MessageFact } from '../common/channel.ts'
import { webhookUrlField } from '../common/fields.ts'
import { escapeWithin, findLink, formatHeadline, formatMessage, shorten } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'
import { createThreadKey } from '../common/thread.ts'

/** Google Chat rejects messages above 32,000 bytes. These limits leave room for texts whose characters need several bytes. */
const MAX_TITLE_LENGTH = 200
/** This limit counts the characters of the HTML, in which one character of the text can become six. */
const MAX_HTML_LENGTH = 14_000
const MAX_FALLBACK_LENGTH = 2_700
const MAX_FACT_LENGTH = 600
const MAX_FACTS = 10

/** Angle brackets begin a mention such as <users/all> in text, and Google Chat has no way to escape them. */
const withoutMentions = (text: string) => text.replaceAll('<', '‹').replaceAll('>', '›')

function createChatMessage(message: ChannelMessage): object {
  const { text = '', facts = [], links = [] } = message
  const widgets = [
    ...(text === ''
      ? []
      : [{ textParagraph: { text: escapeWithin(text, MAX_HTML_LENGTH, escapeHtml).replaceAll('\n', '<br>') } }]),
    ...facts.slice(0, MAX_FACTS).map(toWidget),
    ...(links.length === 0
      ? []
      : [
          {
            buttonList: {
              buttons: links.map(({ label, url }) => ({ text: label, onClick: { openLink: { url } } })),
            },
          },
        ]),
  ]
  return {
    // Notifications show this text, and so do clients that can't show the card.
    fallbackText: withoutMentions(shorten(formatMessage(message), MAX_FALLBACK_LENGTH)),
    cardsV2: [
      {
        cardId: message.id,
        card: {
          header: { title: withoutMentions(shorten(formatHeadline(message), MAX_TITLE_LENGTH)), subtitle: 'Belfry' },
          ...(widgets.length > 0 && { sections: [{ widgets }] }),
        },
      },
    ],
    ...(isInThread(message) && { thread: { threadKey: createThreadKey(message.subject) } }),
  }
}

/** A reminder starts a thread of its own: people get no notification of replies in a thread that they don't follow. */
const isInThread = (message: ChannelMessage): message is ChannelMessage & { subject: AlertSubject } =>
  message.subject !== undefined && message.kind !== 'reminder'

/** Without this parameter, Google Chat ignores the thread. */
function addReplyOption(webhookUrl: string): string {
  const url = new URL(webhookUrl)
  url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
  return url.href
}

function toWidget({ label, value }: MessageFact): object {
  const link = findLink(value)
  const text = escapeWithin(value, MAX_FACT_LENGTH, escapeHtml)
  return {
    decoratedText: {
      topLabel: label,
      text: link === undefined ? text : `<a href="${escapeHtml(link)}">${text}</a>`,
      wrapText: true,
    },
  }
}

export const googlechat: ChannelKind<'webhook_url'> = {
  label: 'Google Chat',
  receiver: 'Google Chat',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    webhook_url: webhookUrlField(
      'URL of the webhook of a space',
      'https://chat.googleapis.com/v1/spaces/AAQAabcdef/messages?key=abcdef&token=123456',
      'https://chat.googleapis.com/v1/spaces/…',
    ),
  },
  async send({ webhook_url }, message, { transports, signal }) {
    const response = await postJson({
      service: 'Google Chat',
      url: addReplyOption(webhook_url as string),
      headers: { 'content-type': 'application/json; charset=UTF-8' },
      body: JSON.stringify(createChatMessage(message)),
      message,
      dispatcher: transports.guardedAgent,
      signal,
      readReason: ({ error }) => (error as { message?: unknown } | undefined)?.message,
    })
    // Google Chat's response contains the whole message. Its name is enough for the log.
    return typeof response.json['name'] === 'string' ? response.json['name'] : describeResponse(response)
  },
}
