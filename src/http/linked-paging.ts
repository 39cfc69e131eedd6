/** Paging by `page` and `per_page`, with links to the other pages. */
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Config } from '../config/config.ts'
import { nullable } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { perPageSizes } from '../shared/limits.ts'
import { getBaseUrl } from './origin.ts'

export type PerPage = (typeof perPageSizes)[number]

export const linkedPageQuery = {
  per_page: Type.Optional(Type.Unsafe<PerPage>(Type.Integer({ enum: [...perPageSizes], default: 10 }))),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
}

const link = Type.String({ format: 'uri', examples: ['https://stats.example.com/api/v1/websites?page=2'] })
const linkOrNull = nullable(link)
const positionOrNull = (description: string, example: number) =>
  nullable(Type.Integer({ description, examples: [example] }))

export function linkedListResponse<T extends TSchema>(schema: T) {
  return Type.Object(
    {
      data: Type.Array(schema),
      links: Type.Object(
        { first: link, last: link, prev: linkOrNull, next: linkOrNull },
        { additionalProperties: false },
      ),
      meta: Type.Object(
        {
          current_page: Type.Integer({ examples: [1] }),
          from: positionOrNull('Position of the first record of this page; null on an empty page', 1),
          last_page: Type.Integer({ examples: [3] }),
          path: Type.String({ format: 'uri', examples: ['https://stats.example.com/api/v1/websites'] }),
          per_page: Type.Integer({ examples: [10] }),
          to: positionOrNull('Position of the last record of this page; null on an empty page', 10),
          total: Type.Integer({ examples: [27] }),
        },
        { additionalProperties: false },
      ),
    },
    { additionalProperties: false },
  )
}

/** `count`: records on this page; `total`: records on all pages. */
export function toPageLinksAndMeta(
  config: Config,
  request: FastifyRequest,
  { page, perPage, count, total }: { page: number; perPage: number; count: number; total: number },
) {
  // Splitting at the question mark would not be enough: a client can send an absolute URL, or a query with a question mark.
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const listUrl = getBaseUrl(config, request) + pathname
  const lastPage = Math.max(1, Math.ceil(total / perPage))
  const offset = (page - 1) * perPage
  const linkTo = (number: number) => {
    const parameters = new URLSearchParams(searchParams)
    parameters.set('page', String(number))
    return `${listUrl}?${parameters}`
  }
  return {
    links: {
      first: linkTo(1),
      last: linkTo(lastPage),
      // From a page beyond the end, `prev` leads to the last page with records.
      prev: page > 1 ? linkTo(Math.min(page - 1, lastPage)) : null,
      next: page < lastPage ? linkTo(page + 1) : null,
    },
    meta: {
      current_page: page,
      from: count > 0 ? offset + 1 : null,
      last_page: lastPage,
      path: listUrl,
      per_page: perPage,
      to: count > 0 ? offset + count : null,
      total,
    },
  }
}
