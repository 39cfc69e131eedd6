/** The body of an event in the API description. `body.ts` parses it and accepts more than this. */
import { nullable } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'

const optional = (schema: Parameters<typeof Type.Optional>[0]) => Type.Optional(schema)
const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const flag = (description: string) => Type.Integer({ minimum: 0, maximum: 1, description, examples: [1] })

const props = Type.Unsafe<object | string>({
  type: ['object', 'string'],
  description:
    'Properties of an event, as an object or a string of JSON. Only the first 30 properties count, up to 8,000 characters in total',
  examples: [{ plan: 'pro' }],
})

export const EventBody = Type.Object(
  {
    name: optional(text('`pageview`, the name of a custom event, or `engagement` for time on a page', 'pageview')),
    n: optional(text('Short for `name`. Either `name` or `n` is required', 'pageview')),
    url: optional(
      text('Full URL of the page. Its scheme can be any except `data` and `javascript`', 'https://example.com/pricing'),
    ),
    u: optional(text('Short for `url`. Either `url` or `u` is required', 'https://example.com/pricing')),
    domain: optional(
      text(
        'Domain of a registered website, or a subdomain of it. Up to three, separated by commas. The default is the host of the URL',
        'example.com',
      ),
    ),
    d: optional(text('Short for `domain`', 'example.com')),
    id: optional(
      Type.Unsafe<string | number | null>({
        type: ['string', 'number', 'null'],
        maxLength: 64,
        description:
          'Any text that identifies this event, such as a random UUID. Events of a website with the same id count once in ten minutes, so an event whose response is missing or 503 can be sent again',
        examples: ['1a0d6f1c-6e0a-4c43-9a3a-9f7d9a3e2b11'],
      }),
    ),
    referrer: optional(nullable(text('URL of the page that the visitor came from', 'https://www.google.com/'))),
    r: optional(nullable(text('Short for `referrer`', 'https://www.google.com/'))),
    props: optional(props),
    p: optional({ ...props, description: 'Short for `props`' }),
    interactive: optional(
      Type.Boolean({
        description:
          'If false, the event is not an interaction: a visit with at most one page view and only such events is a bounce',
        examples: [true],
      }),
    ),
    i: optional(Type.Boolean({ description: 'Short for `interactive`', examples: [true] })),
    e: optional(
      Type.Integer({
        description: 'Milliseconds on the page, for `engagement`. More than a day counts as a day',
        examples: [12_000],
      }),
    ),
    s: optional(text('Screen resolution', '1920x1080')),
    h: optional(flag('1 if the fragment after the # is part of the page')),
    b: optional(flag('1 if the browser reports that a program controls it')),
  },
  { description: 'Unknown fields are ignored' },
)
