/** Pages by `page` and `pageSize`. */
import { Type } from 'typebox'

export function pageQuery(defaultSize: number, most: number) {
  return {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: most, default: defaultSize })),
  }
}

export interface Page {
  page: number
  pageSize: number
  limit: number
  offset: number
}

export function pageOf(query: { page?: number; pageSize?: number }, defaultSize: number): Page {
  const { page = 1, pageSize = defaultSize } = query
  return { page, pageSize, limit: pageSize, offset: (page - 1) * pageSize }
}

export function pageMeta({ page, pageSize }: Page, total: number) {
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize) }
}
