/** The proof that a custom domain belongs to the page's owner, and the result of checking the domain. */
import type { Static } from 'typebox'
import { itemResponse, nullable, stringEnum, timestampOrNull } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'

const noOtherFields = { additionalProperties: false }

export const DomainProofRecord = Type.Object(
  {
    type: stringEnum(['TXT'], { examples: ['TXT'] }),
    name: Type.String({ examples: ['_belfry.status.example.com'] }),
    value: Type.String({ examples: ['belfry-status-page=Zk1xU0tQm3nV7yJ2cW9aB5dF8gH4iL6oR0sT1uX3vY'] }),
  },
  noOtherFields,
)
export type DomainProofRecord = Static<typeof DomainProofRecord>

const describeScheme = (scheme: string) =>
  Type.Object(
    {
      ok: Type.Boolean({ description: `Whether ${scheme} works and reaches this server`, examples: [true] }),
      problem: nullable(
        Type.String({
          description: 'What is wrong, as a sentence; null if nothing is',
          examples: ['The certificate has expired.'],
        }),
      ),
    },
    noOtherFields,
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
    http: { ...describeScheme('http'), description: '`ok` is also true if http redirects to https at the same domain' },
    record: Type.Object(
      {
        ...DomainProofRecord.properties,
        ok: Type.Boolean({ description: 'Whether the domain has this record', examples: [true] }),
        problem: nullable(
          Type.String({
            description: 'What is wrong, as a sentence; null if nothing is',
            examples: ['The record was not found.'],
          }),
        ),
      },
      noOtherFields,
    ),
    custom_domain_verified_at: {
      ...timestampOrNull,
      description: 'When the domain was verified; null if it is not verified',
    },
    points_here: Type.Boolean({ description: 'Whether the domain points to this server', examples: [true] }),
    hint: Type.String({ description: 'What to do next', examples: ['status.example.com shows your status page.'] }),
  },
  noOtherFields,
)
export type DomainCheck = Static<typeof DomainCheck>

/** Whether the domain points to this server, without the proof of ownership. */
export type DomainReachability = Omit<DomainCheck, 'record' | 'custom_domain_verified_at'>

export const DomainCheckResponse = itemResponse(DomainCheck)
