/** A bot that writes to a chat. */
import { shorten } from '../../lib/shorten.ts'
import { escapeMarkup } from '../escape-markup.ts'
import { isPassing, post, refusal } from '../post.ts'
import { type Kind, textOf } from '../provider.ts'

/** Telegram takes no more. */
const TEXT_MOST = 4_096

/** Telegram says it in the words, too, and always there. */
function askedPause({ parameters }: Record<string, unknown>): number | undefined {
  const { retry_after: seconds } = (parameters ?? {}) as { retry_after?: unknown }
  return typeof seconds === 'number' ? seconds : undefined
}

export const telegram: Kind<'chat_id' | 'token'> = {
  label: 'Telegram',
  testMark: '🧪',
  atOnce: 100,
  fields: {
    chat_id: {
      description: 'The number of a chat, or the @name of a channel',
      example: '-1001234567890',
      // In JSON it may be a number, as Telegram itself writes it.
      schema: {
        type: ['string', 'integer'],
        minLength: 1,
        maxLength: 64,
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
      },
      required: true,
      secret: false,
      read: (text) =>
        /^(-?\d{1,20}|@\w+)$/.test(text)
          ? { value: text }
          : { faults: ['must be a number such as -1001234567890, or a name such as @mychannel'] },
    },
    token: {
      description: 'Of the bot',
      example: '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11',
      schema: { minLength: 1, maxLength: 255 },
      required: true,
      secret: true,
      // It becomes part of a path.
      read: (text) =>
        /^[\w:-]+$/.test(text) ? { value: text } : { faults: ['must be the token of a bot, as BotFather gives it'] },
    },
  },
  async send({ chat_id, token }, message, { transports, signal }) {
    const answer = await post({
      service: 'Telegram',
      url: `${transports.telegramApi}/bot${token}/sendMessage`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        chat_id,
        text: escapeMarkup(shorten(textOf(message), TEXT_MOST)),
        parse_mode: 'HTML',
        link_preview_options: { is_disabled: true },
      }),
      message,
      dispatcher: transports.plain,
      signal,
    })
    const { status, json, isWhole } = answer
    // Any page answers 200; but half an answer of Telegram's is as good as a whole one.
    if (status === 200 && (json['ok'] === true || !isWhole)) return 'ok'
    const retryAfterSeconds = askedPause(json) ?? answer.retryAfterSeconds
    throw refusal('Telegram', { status, retryAfterSeconds }, json['description'], !isPassing(status) && status >= 400)
  },
}
