import type { FastifyReply } from 'fastify'

/** A list whose records are finished JSON already, with commas between, and what stands beside them. */
export function sendJsonList(reply: FastifyReply, records: string, rest: { links?: object; meta: object }) {
  const text = `{"data":[${records}],${JSON.stringify(rest).slice(1)}`
  return reply.type('application/json; charset=utf-8').send(text)
}
