/** Paging by `page` and `pageSize`. */
import type { TSchema } from 'typebox'
import { listResponse, PageMeta } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'

export function pageQuery(defaultSize: number, maxSize: number) {
  return {
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1 })),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: maxSize, default: defaultSize })),
  }
}

export const pagedListResponse = <T extends TSchema>(schema: T) => listResponse(schema, PageMeta)

export interface PageRequest {
  page: number
  pageSize: number
  limit: number
  offset: number
}

export function toPageRequest(query: { page?: number; pageSize?: number }, defaultSize: number): PageRequest {
  const { page = 1, pageSize = defaultSize } = query
  return { page, pageSize, limit: pageSize, offset: (page - 1) * pageSize }
}

export function toPageMeta({ page, pageSize }: PageRequest, total: number) {
  return { page, pageSize, total, totalPages: Math.ceil(total / pageSize) }
}
