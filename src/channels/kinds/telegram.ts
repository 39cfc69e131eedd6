/** A Telegram bot that posts to a chat. */

import type { ChannelKind } from '../channel.ts'
import { createRejection, isTemporaryStatus, postMessage } from '../post.ts'
import { formatTelegramHtml } from '../telegram-html.ts'

/** Telegram always sends `retry_after` in the body, and only sometimes the Retry-After header. */
function readRetryAfter({ parameters }: Record<string, unknown>): number | undefined {
  const { retry_after: seconds } = (parameters ?? {}) as { retry_after?: unknown }
  return typeof seconds === 'number' ? seconds : undefined
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
      }),
      message,
      dispatcher: transports.unguardedAgent,
      signal,
    })
    const { status, json, isComplete } = response
    // A server that isn't Telegram's may respond with 200, too, so the body must say "ok". A truncated body can't be parsed
    // and counts as a success.
    if (status === 200 && (json['ok'] === true || !isComplete)) return 'ok'
    const retryAfterSeconds = readRetryAfter(json) ?? response.retryAfterSeconds
    const permanent = !isTemporaryStatus(status) && status >= 400
    throw createRejection('Telegram', { status, retryAfterSeconds }, json['description'], permanent)
  },
}
