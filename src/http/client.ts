/** What a session remembers about the client that started it. */
import type { FastifyRequest } from 'fastify'
import { truncate } from '../lib/text.ts'

/** Real user agents have 100 to 300 characters. */
const MAX_USER_AGENT_LENGTH = 400

export interface ClientDetails {
  userAgent: string | undefined
  address: string | undefined
}

/** The address is undefined if the client reset the connection before we asked for it. Fastify's types don't mention this case. */
export function describeClient({ headers, ip }: FastifyRequest): ClientDetails {
  const userAgent = headers['user-agent']
  return {
    userAgent: userAgent === undefined ? undefined : truncate(userAgent, MAX_USER_AGENT_LENGTH),
    address: ip as string | undefined,
  }
}
