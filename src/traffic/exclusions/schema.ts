import { type Static, Type } from 'typebox'
import { listOf } from '../../lib/schemas.ts'

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })
const count = (description: string, example: number) => Type.Integer({ description, examples: [example] })
const object = { additionalProperties: false }

export const ExclusionQuery = Type.Object({
  exclude_params: Type.Optional(
    Type.String({ description: 'As in a website: names of parameters, one per line', examples: ['ref\nutm_*'] }),
  ),
})

const MergedPage = Type.Object(
  {
    value: Type.String({ description: 'What is left of the address', examples: ['/shop'] }),
    count: count('Page views that it would have had', 42),
    pages: count('How many pages would have been this one, itself among them if it was there', 5),
    merged: Type.Array(Type.String(), {
      description: 'The most viewed of those that would have become this one, at most five',
      examples: [['/shop?ref=a', '/shop?ref=b']],
    }),
  },
  object,
)

const LineMatch = Type.Object(
  {
    line: Type.String({ examples: ['ref'] }),
    pages: count('Pages with a parameter that the line names', 3),
    views: count('Their page views', 12),
  },
  object,
)

const SeenParameter = Type.Object(
  {
    name: Type.String({ description: 'As a line of `exclude_params` would name it', examples: ['ref'] }),
    pages: count('Pages with it', 3),
    views: count('Their page views', 12),
  },
  object,
)

export const ExclusionPreview = listOf(
  MergedPage,
  Type.Object(
    {
      from: day('The first day, by the clock of the website'),
      to: day('Today'),
      pages_before: count('Different pages that were viewed', 310),
      pages_after: count('How many of them would have been left', 298),
      looked_at: count('Pages with a query that were looked at, the most viewed ones', 57),
      complete: Type.Boolean({ description: 'false: there are more than were looked at', examples: [true] }),
      lines: Type.Array(LineMatch, { description: 'What each line finds' }),
      seen: Type.Array(SeenParameter, { description: 'The parameters with the most page views, at most 20' }),
    },
    object,
  ),
)
export type ExclusionPreview = Static<typeof ExclusionPreview>
