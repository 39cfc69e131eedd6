/** The body of an event, as it is described. `body.ts` reads it, and takes more than this. */
import { Type } from 'typebox'
import { orNull } from '../../lib/schemas.ts'

const optional = (schema: Parameters<typeof Type.Optional>[0]) => Type.Optional(schema)
const text = (description: string, example: string) => Type.String({ description, examples: [example] })
const flag = (description: string) => Type.Integer({ minimum: 0, maximum: 1, description, examples: [1] })

const props = Type.Unsafe<object | string>({
  type: ['object', 'string'],
  description: 'Of an event with a name: an object, or one as JSON text; at most 8,000 characters',
  examples: [{ plan: 'pro' }],
})

export const EventBody = Type.Object(
  {
    name: optional(text('`pageview`, a name of your own, or `engagement` for time on a page', 'pageview')),
    n: optional(text('`name` in short; one of the two is needed', 'pageview')),
    url: optional(text('The whole address of the page', 'https://example.com/pricing')),
    u: optional(text('`url` in short; one of the two is needed', 'https://example.com/pricing')),
    domain: optional(
      text('A registered website, or a subdomain of it; up to three with commas between', 'example.com'),
    ),
    d: optional(text('`domain` in short; one of the two is needed', 'example.com')),
    referrer: optional(orNull(text('Where the visitor came from', 'https://www.google.com/'))),
    r: optional(orNull(text('`referrer` in short', 'https://www.google.com/'))),
    props: optional(props),
    p: optional({ ...props, description: '`props` in short' }),
    interactive: optional(
      Type.Boolean({ description: 'false: a visit with nothing else is still a bounce', examples: [true] }),
    ),
    i: optional(Type.Boolean({ description: '`interactive` in short', examples: [true] })),
    e: optional(Type.Integer({ description: 'Of `engagement`: milliseconds', examples: [12_000] })),
    s: optional(text('Size of the screen', '1920x1080')),
    h: optional(flag('1: what follows the # is part of the page')),
    b: optional(flag('1: the browser says that a program drives it')),
  },
  { description: 'Fields that are not known are ignored' },
)
