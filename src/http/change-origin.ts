/** What the audit log records about the request that makes a change. */
import type { FastifyRequest } from 'fastify'
import type { ChangeOrigin } from '../storage/tenant.ts'

export const originOf = ({ ip, id }: FastifyRequest): ChangeOrigin => ({ ip, request_id: id })
