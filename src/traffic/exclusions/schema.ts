import type { Static } from 'typebox'
import { listResponse } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'

const daySchema = (description: string) => Type.String({ format: 'date', description, examples: ['2026-01-05'] })
const countSchema = (description: string, example: number) => Type.Integer({ description, examples: [example] })
const noOtherFields = { additionalProperties: false }

export const ExclusionQuery = Type.Object({
  exclude_params: Type.Optional(
    Type.String({
      description: 'Parameter names, one per line, as in the website’s `exclude_params`',
      examples: ['session\nfilter*'],
    }),
  ),
})

const MergedPage = Type.Object(
  {
    value: Type.String({ description: 'The page without these parameters', examples: ['/shop'] }),
    count: countSchema('Page views that this page would have had', 42),
    pages: countSchema(
      'Number of pages that would have been counted as this page, including itself if it was viewed',
      5,
    ),
    merged: Type.Array(Type.String(), {
      description: 'The most viewed of these pages, at most five, without the page itself',
      examples: [['/shop?session=a', '/shop?session=b']],
    }),
  },
  noOtherFields,
)

const LineMatch = Type.Object(
  {
    line: Type.String({ examples: ['ref'] }),
    pages: countSchema('Pages with a parameter that matches the line', 3),
    views: countSchema('Page views of these pages', 12),
  },
  noOtherFields,
)

const UsedParameter = Type.Object(
  {
    name: Type.String({ description: 'The name, as written in a line of `exclude_params`', examples: ['ref'] }),
    pages: countSchema('Pages with this parameter', 3),
    views: countSchema('Page views of these pages', 12),
  },
  noOtherFields,
)

export const ExclusionPreview = listResponse(
  MergedPage,
  Type.Object(
    {
      from: daySchema('First day, in the time zone of the website'),
      to: daySchema('Today'),
      pages_before: countSchema('Number of different pages that were viewed', 310),
      pages_after: countSchema('Number of different pages that would remain without these parameters', 298),
      looked_at: countSchema('Number of pages with a query that were examined, the most viewed ones first', 57),
      complete: Type.Boolean({
        description: 'false if the website has more pages than were examined',
        examples: [true],
      }),
      lines: Type.Array(LineMatch, { description: 'The number of pages that each line matches' }),
      seen: Type.Array(UsedParameter, { description: 'The parameters with the most page views, at most 20' }),
    },
    noOtherFields,
  ),
)
export type ExclusionPreview = Static<typeof ExclusionPreview>
