/** The result of checking a custom domain. */
import type { Static } from 'typebox'
import { itemResponse, nullable } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'

const closed = { additionalProperties: false }

const describeScheme = (scheme: string) =>
  Type.Object(
    {
      ok: Type.Boolean({ description: `Whether ${scheme} leads to this server`, examples: [true] }),
      problem: nullable(
        Type.String({ description: 'A sentence; null if there is none', examples: ['The certificate has expired.'] }),
      ),
    },
    closed,
  )

const DomainCheck = Type.Object(
  {
    domain: Type.String({ examples: ['status.example.com'] }),
    addresses: Type.Array(Type.String(), {
      description:
        'The IP addresses of the domain. Empty if it has none, or only private ones that Belfry must not contact',
      examples: [['203.0.113.7']],
    }),
    https: describeScheme('https'),
    http: { ...describeScheme('http'), description: 'A redirect to https at the same domain is fine' },
    points_here: Type.Boolean({ description: 'Whether the domain leads to this server', examples: [true] }),
    hint: Type.String({ description: 'What to do', examples: ['status.example.com shows your status page.'] }),
  },
  closed,
)
export type DomainCheck = Static<typeof DomainCheck>

export const DomainCheckResponse = itemResponse(DomainCheck)
