/** JSON Schemas of the messages that services accept, written from their documentation as far as Belfry uses it. */

const text = (maxLength?: number) => ({ type: 'string', minLength: 1, ...(maxLength !== undefined && { maxLength }) })
const url = { type: 'string', format: 'uri', pattern: '^https?://' }
const object = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const list = (items: object, maxItems?: number) => ({
  type: 'array',
  items,
  minItems: 1,
  ...(maxItems !== undefined && { maxItems }),
})

/** https://discord.com/developers/docs/resources/webhook and …/message#embed-object */
const discord = object({
  embeds: list(
    object(
      {
        title: text(256),
        url,
        description: text(4_096),
        color: { type: 'integer', minimum: 0, maximum: 0xffffff },
        fields: list(object({ name: text(256), value: text(1_024), inline: { type: 'boolean' } }), 25),
        footer: object({ text: text(2_048) }),
      },
      ['title', 'color', 'footer'],
    ),
    10,
  ),
  allowed_mentions: object({ parse: { type: 'array', maxItems: 0 } }),
})

const textRun = object(
  { type: { const: 'TextRun' }, text: text(), weight: { enum: ['Bolder'] }, size: { enum: ['Medium'] } },
  ['type', 'text'],
)
const richTextBlock = object(
  { type: { const: 'RichTextBlock' }, inlines: list(textRun), spacing: { enum: ['Small'] } },
  ['type', 'inlines'],
)

/** https://adaptivecards.io/explorer and the Workflows template "Send webhook alerts" of Microsoft Teams */
const teams = object({
  type: { const: 'message' },
  attachments: list(
    object({
      contentType: { const: 'application/vnd.microsoft.card.adaptive' },
      contentUrl: { type: 'null' },
      content: object(
        {
          $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
          type: { const: 'AdaptiveCard' },
          version: { enum: ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'] },
          fallbackText: text(),
          msteams: object({ width: { const: 'Full' } }),
          body: list({
            oneOf: [
              richTextBlock,
              object({
                type: { const: 'Container' },
                style: { enum: ['default', 'emphasis', 'good', 'attention', 'warning', 'accent'] },
                bleed: { type: 'boolean' },
                items: list(richTextBlock),
              }),
            ],
          }),
          actions: list(object({ type: { const: 'Action.OpenUrl' }, title: text(), url })),
        },
        ['$schema', 'type', 'version', 'fallbackText', 'msteams', 'body'],
      ),
    }),
    1,
  ),
})

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages and …/v1/cards */
const googlechat = object(
  {
    fallbackText: text(),
    thread: object({ threadKey: text(4_000) }),
    cardsV2: list(
      object({
        cardId: text(),
        card: object(
          {
            header: object({ title: text(), subtitle: text() }),
            sections: list(
              object({
                widgets: list({
                  oneOf: [
                    object({ textParagraph: object({ text: text() }) }),
                    object({ decoratedText: object({ topLabel: text(), text: text(), wrapText: { const: true } }) }),
                    object({
                      buttonList: object({
                        buttons: list(object({ text: text(), onClick: object({ openLink: object({ url }) }) })),
                      }),
                    }),
                  ],
                }),
              }),
            ),
          },
          ['header'],
        ),
      }),
    ),
  },
  ['fallbackText', 'cardsV2'],
)

/** https://docs.ntfy.sh/publish/#publish-as-json */
const ntfy = object(
  {
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    title: text(250),
    message: text(4_096),
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    tags: list(text()),
    click: url,
    actions: list(object({ action: { const: 'view' }, label: text(), url }), 3),
  },
  ['topic', 'title', 'message', 'priority'],
)

/** https://pushover.net/api */
const pushover = object(
  {
    token: { type: 'string', pattern: '^[A-Za-z0-9]{30}$' },
    user: { type: 'string', pattern: '^[A-Za-z0-9]{30}$' },
    title: text(250),
    message: text(1_024),
    priority: { type: 'integer', minimum: -2, maximum: 1 },
    url: { ...url, maxLength: 512 },
    url_title: text(100),
  },
  ['token', 'user', 'title', 'message', 'priority'],
)

/** https://gotify.net/api-docs and https://gotify.net/docs/msgextras */
const gotify = object({
  title: text(),
  message: text(),
  priority: { type: 'integer', minimum: 0, maximum: 10 },
  extras: object(
    {
      'client::display': object({ contentType: { const: 'text/markdown' } }),
      'client::notification': object({ click: object({ url }) }),
    },
    ['client::display'],
  ),
})

/** https://spec.matrix.org/latest/client-server-api/#mtext */
const matrix = object(
  {
    msgtype: { const: 'm.text' },
    body: text(),
    format: { const: 'org.matrix.custom.html' },
    formatted_body: text(),
    'm.mentions': object({}),
    'm.relates_to': object({ 'm.in_reply_to': object({ event_id: text() }) }),
  },
  ['msgtype', 'body', 'format', 'formatted_body', 'm.mentions'],
)

const routingKey = { type: 'string', pattern: '^[A-Za-z0-9]{32}$' }

/** https://developer.pagerduty.com/docs/events-api-v2/trigger-events/ */
const pagerduty = {
  oneOf: [
    object({ routing_key: routingKey, event_action: { const: 'resolve' }, dedup_key: text(255) }),
    object(
      {
        routing_key: routingKey,
        event_action: { const: 'trigger' },
        dedup_key: text(255),
        payload: object(
          {
            summary: text(1_024),
            source: text(255),
            severity: { enum: ['critical', 'error', 'warning', 'info'] },
            timestamp: { type: 'string', format: 'date-time' },
            component: text(),
            class: text(),
            custom_details: { type: 'object' },
          },
          ['summary', 'source', 'severity'],
        ),
        client: text(),
        client_url: url,
        links: { type: 'array', items: object({ href: url, text: text() }) },
      },
      ['routing_key', 'event_action', 'dedup_key', 'payload'],
    ),
  ],
}

export const vendorSchemas = { discord, teams, googlechat, ntfy, pushover, gotify, matrix, pagerduty }
