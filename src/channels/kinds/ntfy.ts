/** Publishes messages to a topic of ntfy.sh or of a self-hosted ntfy server. */

import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { serverField, tokenField } from '../common/fields.ts'
import type { MessageKind } from '../common/markers.ts'
import { listFactLines, shorten, shortenToBytes } from '../common/message-text.ts'
import { describeResponse, postJson, rejectWebPage } from '../common/post.ts'

const MAX_TITLE_LENGTH = 250
/** ntfy turns longer messages into attachments. It counts bytes, and a character has up to four. */
const MAX_MESSAGE_BYTES = 4_096
/** ntfy rejects messages with more buttons. */
const MAX_ACTIONS = 3

/**
 * 1 is the lowest priority, 3 the default and 5 the highest. From 3, phones make a sound. At 4 and 5, they also vibrate longer and
 * show the message over other apps. On Android, users choose for each priority whether it overrides Do Not Disturb.
 */
const priorities: Record<MessageKind, number> = {
  down: 5,
  reminder: 4,
  certificate: 4,
  recovered: 3,
  spike: 3,
  test: 3,
}

/** ntfy shows these short codes as emoji before the title. */
const emojiTags: Record<MessageKind, string[]> = {
  down: ['red_circle'],
  recovered: ['green_circle'],
  reminder: ['alarm_clock'],
  certificate: ['lock'],
  spike: ['chart_with_upwards_trend'],
  test: [],
}

function createPublication(topic: string, message: ChannelMessage): object {
  const { kind, title, text = '', links = [] } = message
  const lines = [text, ...listFactLines(message)].filter(Boolean).join('\n')
  const [link] = links
  return {
    topic,
    title: shorten(title, MAX_TITLE_LENGTH),
    message: shortenToBytes(lines || title, MAX_MESSAGE_BYTES),
    priority: priorities[kind],
    ...(emojiTags[kind].length > 0 && { tags: emojiTags[kind] }),
    ...(link !== undefined && {
      click: link.url,
      actions: links.slice(0, MAX_ACTIONS).map(({ label, url }) => ({ action: 'view', label, url })),
    }),
  }
}

export const ntfy: ChannelKind<'server' | 'topic' | 'token'> = {
  label: 'ntfy',
  receiver: 'ntfy',
  testEmoji: '🔔',
  maxConcurrent: 100,
  fields: {
    server: serverField('Address of the server', 'https://ntfy.sh'),
    topic: {
      description: 'Topic. Everybody who knows it can read its messages, unless the server restricts access',
      example: 'belfry-v8qw2mtz',
      schema: { minLength: 1, maxLength: 64 },
      isRequired: true,
      isSecret: false,
      parse: (text) =>
        /^[-_A-Za-z0-9]+$/.test(text)
          ? { value: text }
          : { errors: ['must have only letters, digits, hyphens and underscores'] },
    },
    token: tokenField('Access token, if the topic requires one', 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2', {
      isRequired: false,
    }),
  },
  async send({ server, topic, token }, message, { transports, signal }) {
    const response = await postJson({
      service: 'ntfy',
      // ntfy parses JSON only at the root. At the path of a topic, it would show the JSON as the text of the message.
      url: `${server}/`,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify(createPublication(topic as string, message)),
      message,
      dispatcher: transports.guardedAgent,
      signal,
      readReason: ({ error }) => error,
    })
    rejectWebPage('an ntfy server', response)
    return typeof response.json['id'] === 'string' ? `message ${response.json['id']}` : describeResponse(response)
  },
}
