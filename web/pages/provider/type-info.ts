/** What people have to know to set up each kind. */
import type { ProviderType } from '../../lib/providers.ts'

export interface FieldWords {
  name: string
  label: string
  hint?: string
  placeholder?: string
  isOptional?: boolean
  /** Shown only by its end, and kept unless another one is typed. */
  isSecret?: boolean
  inputMode?: 'email' | 'tel' | 'url'
  /** What people write for the eye, and nobody sends. */
  ignored?: RegExp
}

interface KindWords {
  /** One sentence, to choose by. */
  about: string
  /** Step by step, for what has to be fetched elsewhere. */
  steps: readonly string[]
  fields: readonly FieldWords[]
}

export const kindWords: Record<ProviderType, KindWords> = {
  email: {
    about: 'A letter to one address.',
    steps: [],
    fields: [
      {
        name: 'recipient_email',
        label: 'E-mail address',
        hint: 'Of a person, or of a list that reaches several.',
        placeholder: 'ops@example.com',
        inputMode: 'email',
      },
    ],
  },
  slack: {
    about: 'A message in a channel. Mattermost and Rocket.Chat work the same way.',
    steps: [
      'In Slack, open your apps, look for “Incoming Webhooks” and add it.',
      'Choose the channel that shall get the messages.',
      'Copy the webhook address that Slack shows and paste it here.',
    ],
    fields: [
      {
        name: 'webhook_url',
        label: 'Webhook address',
        hint: 'Whoever has it can post to the channel, so it is kept encrypted.',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
        inputMode: 'url',
      },
      {
        name: 'channel',
        label: 'Channel (optional)',
        hint: 'Only for webhooks that may post anywhere.',
        placeholder: '#ops',
        isOptional: true,
      },
      {
        name: 'username',
        label: 'Sender (optional)',
        hint: 'The name beside the message.',
        placeholder: 'Belfry',
        isOptional: true,
      },
    ],
  },
  telegram: {
    about: 'A message of a bot in a chat, a group or a channel.',
    steps: [
      'In Telegram, write /newbot to @BotFather. It makes a bot and gives you its token.',
      'Write to your bot, or add it to the group or channel, and send one message there.',
      'Open https://api.telegram.org/bot<token>/getUpdates with your token in a browser: the number at “chat” and “id” is the chat id. A public channel has its @name instead.',
    ],
    fields: [
      {
        name: 'token',
        label: 'Token of the bot',
        hint: 'Whoever has it can write as the bot, so it is kept encrypted.',
        placeholder: '123456:ABC-DEF…',
        isSecret: true,
      },
      {
        name: 'chat_id',
        label: 'Chat id',
        hint: 'Groups have a number that begins with a minus.',
        placeholder: '-1001234567890 or @mychannel',
      },
    ],
  },
  sms: {
    about: 'A text message to a phone. This server sends only so many a day.',
    steps: [],
    fields: [
      {
        name: 'phone_number',
        label: 'Phone number',
        hint: 'With + and its country.',
        placeholder: '+49 151 12345678',
        inputMode: 'tel',
        // The 0 in brackets is for whoever calls from within the country.
        ignored: /\(0\)|[\s()[\]./\p{Dash_Punctuation}]/gu,
      },
    ],
  },
}

export const kindOrder: readonly ProviderType[] = ['email', 'slack', 'telegram', 'sms']
