import type { FastifyReply } from 'fastify'

/** A list whose records are finished JSON already, with commas between. */
export function sendJsonList(reply: FastifyReply, records: string, meta: object) {
  const text = `{"data":[${records}],"meta":${JSON.stringify(meta)}}`
  return reply.type('application/json; charset=utf-8').send(text)
}
