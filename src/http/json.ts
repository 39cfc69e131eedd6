import type { FastifyReply } from 'fastify'

/** A list whose records are finished JSON already. */
export function sendJsonList(reply: FastifyReply, records: readonly string[], meta: object) {
  const text = `{"data":[${records.join(',')}],"meta":${JSON.stringify(meta)}}`
  return reply.type('application/json; charset=utf-8').send(text)
}
