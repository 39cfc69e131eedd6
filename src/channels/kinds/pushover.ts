/** Sends notifications through Pushover. */

import type { ChannelKind, ChannelMessage } from '../common/channel.ts'
import { tokenField } from '../common/fields.ts'
import type { MessageKind } from '../common/markers.ts'
import { formatHeadline, listFactLines, shorten } from '../common/message-text.ts'
import { describeResponse, postJson } from '../common/post.ts'

/** Pushover rejects messages that exceed these limits. */
const MAX_TITLE_LENGTH = 250
const MAX_MESSAGE_LENGTH = 1_024
const MAX_URL_LENGTH = 512

/**
 * Priority 1 ignores the user's quiet hours. Priority 2 would repeat the notification until the user acknowledges it,
 * but Belfry sends reminders instead.
 */
const priorities: Record<MessageKind, number> = {
  down: 1,
  reminder: 1,
  certificate: 0,
  recovered: 0,
  spike: 0,
  test: 0,
}

const keyPattern = /^[A-Za-z0-9]{30}$/
const keyRule = 'must have 30 letters and digits'

/** The notification has no `html`, so Pushover shows the text as it is. */
function createNotification(message: ChannelMessage): object {
  const { kind, title, text = '', links = [], subject } = message
  const lines = [text, ...listFactLines(message)].filter(Boolean).join('\n')
  // A notification has only one link of its own. The app also turns URLs in the text into links.
  const acknowledgeLine = subject?.acknowledgeUrl ? `\nAcknowledge: ${subject.acknowledgeUrl}` : ''
  const link = links.find(({ url }) => url.length <= MAX_URL_LENGTH)
  return {
    title: shorten(formatHeadline(message), MAX_TITLE_LENGTH),
    // Pushover rejects an empty message.
    message: shorten(lines || title, MAX_MESSAGE_LENGTH - acknowledgeLine.length) + acknowledgeLine,
    priority: priorities[kind],
    ...(link !== undefined && { url: link.url, url_title: link.label }),
  }
}

export const pushover: ChannelKind<'user_key' | 'token'> = {
  label: 'Pushover',
  receiver: 'Pushover',
  testEmoji: '🔔',
  maxConcurrent: 20,
  // A summary is always one message. It contains the number of monitors and as many of their names as fit.
  summaryLimits: { maxMonitors: 10_000, maxBytes: 900 },
  fields: {
    user_key: {
      description: 'Key of the user or group',
      example: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
      schema: { minLength: 1, maxLength: 30 },
      isRequired: true,
      isSecret: false,
      parse: (text) => (keyPattern.test(text) ? { value: text } : { errors: [keyRule] }),
    },
    token: tokenField('API token of the application', 'azGDORePK8gMaC0QOYAMyEEuzJnyUi', {
      pattern: keyPattern,
      rule: keyRule,
    }),
  },
  async send({ user_key, token }, message, { transports, signal }) {
    const response = await postJson({
      service: 'Pushover',
      url: `${transports.pushoverApi}/1/messages.json`,
      body: JSON.stringify({ token, user: user_key, ...createNotification(message) }),
      message,
      dispatcher: transports.unguardedAgent,
      signal,
      isOperatorUrl: true,
      readReason: ({ errors }) => (Array.isArray(errors) ? errors.join(', ') : undefined),
    })
    const { request } = response.json
    return typeof request === 'string' ? `request ${request}` : describeResponse(response)
  },
}
