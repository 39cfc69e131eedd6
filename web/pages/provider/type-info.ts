/** What users need to know to set up each type of notification channel. */
import type { ChannelType } from '../../lib/providers.ts'

export interface ProviderFieldInfo {
  name: string
  label: string
  hint?: string
  placeholder?: string
  isOptional?: boolean
  /** The API returns only the last characters. The server keeps the saved value unless a new one is sent. */
  isSecret?: boolean
  inputMode?: 'email' | 'tel' | 'url'
  /** Characters that users type for readability. They are removed before sending. */
  ignoredCharacters?: RegExp
}

interface ProviderTypeInfo {
  /** One line that helps to choose a type. */
  summary: string
  /** What to do in the service, such as Slack, before filling in the fields. */
  steps: readonly string[]
  fields: readonly ProviderFieldInfo[]
}

export const providerTypeInfo: Record<ChannelType, ProviderTypeInfo> = {
  email: {
    summary: 'Email to one address',
    steps: [],
    fields: [
      {
        name: 'recipient_email',
        label: 'Email address',
        hint: 'One person or a mailing list',
        placeholder: 'ops@example.com',
        inputMode: 'email',
      },
    ],
  },
  slack: {
    summary: 'Message to a Slack, Mattermost or Rocket.Chat channel',
    steps: [
      'In Slack, open your apps, search for “Incoming Webhooks” and add it.',
      'Choose the Slack channel that should receive the messages.',
      'Copy the webhook URL and paste it below.',
    ],
    fields: [
      {
        name: 'webhook_url',
        label: 'Webhook URL',
        hint: 'Stored encrypted, because anyone who has it can post to the channel.',
        placeholder: 'https://hooks.slack.com/services/…',
        isSecret: true,
        inputMode: 'url',
      },
      {
        name: 'channel',
        label: 'Slack channel (optional)',
        hint: "Overrides the webhook's default channel, if the webhook allows it",
        placeholder: '#ops',
        isOptional: true,
      },
      {
        name: 'username',
        label: 'Sender name (optional)',
        hint: 'Shown next to the message',
        placeholder: 'Belfry',
        isOptional: true,
      },
    ],
  },
  telegram: {
    summary: 'Message from a bot to a chat, group or channel',
    steps: [
      'In Telegram, send /newbot to @BotFather. It creates a bot and gives you its token.',
      'Message your bot, or add it to the group or channel and post a message there.',
      "In a browser, open https://api.telegram.org/bot<token>/getUpdates, replacing <token> with your bot's token. The chat ID is the number in the “id” field inside “chat”. For a public channel, enter its @name instead.",
    ],
    fields: [
      {
        name: 'token',
        label: 'Bot token',
        hint: 'Stored encrypted, because anyone who has it can send messages as the bot.',
        placeholder: '123456:ABC-DEF…',
        isSecret: true,
      },
      {
        name: 'chat_id',
        label: 'Chat ID',
        hint: 'Group IDs start with a minus sign',
        placeholder: '-1001234567890 or @mychannel',
      },
    ],
  },
  sms: {
    summary: 'Text message to a phone, up to a daily limit',
    steps: [],
    fields: [
      {
        name: 'phone_number',
        label: 'Phone number',
        hint: 'Include + and the country code',
        placeholder: '+49 151 12345678',
        inputMode: 'tel',
        // The (0) in "+49 (0)151" is dialled only within the country.
        ignoredCharacters: /\(0\)|[\s()[\]./\p{Dash_Punctuation}]/gu,
      },
    ],
  },
}

export const providerTypeOrder: readonly ChannelType[] = ['email', 'slack', 'telegram', 'sms']
