/** The body of an event, as it is described. `body.ts` reads it, and takes more than this. */
import { Type } from 'typebox'
import { orNull } from '../../lib/schemas.ts'

export const EventBody = Type.Object({
  name: Type.String({
    description: '`pageview`, a name of your own, or `engagement` for time on a page. Also `n`',
    examples: ['pageview'],
  }),
  url: Type.String({
    description: 'The whole address of the page. Also `u`',
    examples: ['https://example.com/pricing'],
  }),
  domain: Type.String({
    description: 'A registered website, or a subdomain of it; up to three with commas between. Also `d`',
    examples: ['example.com'],
  }),
  referrer: Type.Optional(
    orNull(
      Type.String({ description: 'Where the visitor came from. Also `r`', examples: ['https://www.google.com/'] }),
    ),
  ),
  props: Type.Optional(
    Type.Unsafe<object | string>({
      type: ['object', 'string'],
      description: 'Of an event with a name: an object, or one as JSON text. Also `p`',
      examples: [{ plan: 'pro' }],
    }),
  ),
  interactive: Type.Optional(
    Type.Boolean({ description: 'false: a visit with nothing else is still a bounce. Also `i`', examples: [true] }),
  ),
  e: Type.Optional(Type.Integer({ description: 'Of `engagement`: milliseconds', examples: [12_000] })),
  s: Type.Optional(Type.String({ description: 'Size of the screen', examples: ['1920x1080'] })),
})
