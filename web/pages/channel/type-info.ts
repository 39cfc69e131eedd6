/** What users need to know to set up each type of notification channel. */
import type { ChannelType } from '../../lib/channels.ts'

export interface ChannelFieldInfo {
  name: string
  label: string
  /** The label of a secret, as it appears in the middle of a sentence. */
  shortLabel?: string
  hint?: string
  placeholder?: string
  isOptional?: boolean
  /**
   * The API returns only the last characters of a secret. The server keeps the saved value unless a new one is sent.
   */
  isSecret?: boolean
  inputMode?: 'email' | 'tel' | 'url'
  /** The value of the field in the form of a new channel. */
  initialValue?: string
  /** Set for the address to which Belfry sends the secrets. If it changes, the server asks for the secrets again. */
  isDestination?: boolean
  /** Characters that users type for readability. They are removed before sending. */
  ignoredCharacters?: RegExp
}

/** The webhook URL of a chat service. */
const webhookUrl = (placeholder: string): ChannelFieldInfo => ({
  name: 'webhook_url',
  label: 'Webhook URL',
  shortLabel: 'URL',
  hint: 'Stored encrypted, because anyone who has it can post to the channel.',
  placeholder,
  isSecret: true,
  inputMode: 'url',
})

interface ChannelTypeInfo {
  /** One line that helps to choose a type. */
  summary: string
  /** What to do in the service, such as Slack, before filling in the fields. */
  steps: readonly string[]
  fields: readonly ChannelFieldInfo[]
  /** Whether users can add headers to the requests that Belfry sends to the channel. */
  hasHeaders?: boolean
}

export const channelTypeInfo: Record<ChannelType, ChannelTypeInfo> = {
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
      webhookUrl('https://hooks.slack.com/services/…'),
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
        shortLabel: 'token',
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
  webhook: {
    summary: 'Signed JSON to your own URL',
    steps: [],
    hasHeaders: true,
    fields: [
      {
        name: 'url',
        label: 'URL',
        shortLabel: 'URL',
        hint: 'Belfry sends POST requests with JSON to this URL. Stored encrypted, because it may contain a key.',
        placeholder: 'https://example.com/belfry',
        isSecret: true,
        isDestination: true,
        inputMode: 'url',
      },
      {
        name: 'secret',
        label: 'Signing secret (optional)',
        shortLabel: 'signing secret',
        hint: 'Belfry signs every request with it, so that your program can verify where it comes from.',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
  discord: {
    summary: 'Message to a Discord channel',
    steps: [
      'In Discord, open the settings of the channel (the gear next to its name).',
      'Under “Integrations”, choose “Webhooks”, then “New Webhook”.',
      'Choose “Copy Webhook URL” and paste it below.',
    ],
    fields: [webhookUrl('https://discord.com/api/webhooks/…')],
  },
  teams: {
    summary: 'Card in a Microsoft Teams channel or chat',
    steps: [
      'In Teams, open the menu (•••) of the channel or chat and choose “Workflows”.',
      'Choose the template “Send webhook alerts to a channel” (or “to a chat”) and add it.',
      'Copy the URL that Teams shows at the end and paste it below.',
    ],
    fields: [webhookUrl('https://prod-00.westeurope.logic.azure.com/workflows/…')],
  },
  googlechat: {
    summary: 'Card in a Google Chat space',
    steps: [
      'In Google Chat, open the space, then its menu and “Apps & integrations”.',
      'Choose “Add webhooks”, enter a name such as Belfry and save.',
      'Copy the link of the webhook and paste it below.',
    ],
    fields: [webhookUrl('https://chat.googleapis.com/v1/spaces/…')],
  },
  ntfy: {
    summary: 'Push notification through ntfy.sh or your own ntfy server',
    steps: [
      'Choose a topic that nobody can guess, such as belfry-v8qw2mtz. On ntfy.sh, everyone who knows it can read its messages.',
      'In the ntfy app, subscribe to the topic.',
    ],
    fields: [
      {
        name: 'server',
        label: 'Server',
        hint: 'The address of ntfy without the topic',
        placeholder: 'https://ntfy.sh',
        initialValue: 'https://ntfy.sh',
        isDestination: true,
        inputMode: 'url',
      },
      {
        name: 'topic',
        label: 'Topic',
        hint: 'Letters, digits, hyphens and underscores',
        placeholder: 'belfry-v8qw2mtz',
      },
      {
        name: 'token',
        label: 'Access token (optional)',
        shortLabel: 'access token',
        hint: 'If the topic is protected: in the ntfy web app, under “Account”, “Access tokens”.',
        placeholder: 'tk_…',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
  pushover: {
    summary: 'Push notification through the Pushover app',
    steps: [
      'Sign in at pushover.net. Your user key is on the start page.',
      'There, choose “Create an Application/API Token”, name it Belfry, and copy its token.',
    ],
    fields: [
      {
        name: 'user_key',
        label: 'User key',
        hint: 'Or the key of a group',
        placeholder: 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG',
      },
      {
        name: 'token',
        label: 'API token',
        shortLabel: 'token',
        hint: 'The token of the application. Stored encrypted.',
        placeholder: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
        isSecret: true,
      },
    ],
  },
  gotify: {
    summary: 'Push notification through your own Gotify server',
    steps: ['In Gotify, open “Apps”, choose “Create application”, name it Belfry, and copy its token.'],
    fields: [
      {
        name: 'server',
        label: 'Server',
        hint: 'The address where you open Gotify in the browser',
        placeholder: 'https://gotify.example.com',
        isDestination: true,
        inputMode: 'url',
      },
      {
        name: 'token',
        label: 'Application token',
        shortLabel: 'token',
        hint: 'Stored encrypted, because anyone who has it can send messages as the application.',
        placeholder: 'AWVFeLqTnWkdWRM',
        isSecret: true,
      },
    ],
  },
  matrix: {
    summary: 'Message to a Matrix room',
    steps: [
      'Create an account for Belfry on your homeserver and invite it to the room.',
      'In Element, sign in with that account and accept the invitation. Its access token is in “All settings”, “Help & About”, “Advanced”.',
      'The room ID is in the settings of the room, under “Advanced”. It starts with an exclamation mark.',
    ],
    fields: [
      {
        name: 'homeserver',
        label: 'Homeserver',
        hint: 'The address of the client API of your homeserver',
        placeholder: 'https://matrix.example.com',
        isDestination: true,
        inputMode: 'url',
      },
      { name: 'room_id', label: 'Room ID', hint: 'Not the name of the room', placeholder: '!abcdefgh:example.com' },
      {
        name: 'token',
        label: 'Access token',
        shortLabel: 'access token',
        hint: 'Stored encrypted, because anyone who has it can use the account.',
        placeholder: 'syt_…',
        isSecret: true,
      },
    ],
  },
  pagerduty: {
    summary: 'PagerDuty incident, resolved on recovery',
    steps: [
      'In PagerDuty, open the service and its “Integrations” tab, and choose “Add an integration”.',
      'Choose “Events API V2” and add it.',
      'Copy the integration key and paste it below.',
    ],
    fields: [
      {
        name: 'routing_key',
        label: 'Integration key',
        shortLabel: 'integration key',
        hint: 'A test opens an incident and resolves it immediately.',
        placeholder: '32 letters and digits',
        isSecret: true,
      },
    ],
  },
}
