/** Sends JSON that is already serialized. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from '../lib/content-encoding.ts'

/** `recordsJson`: JSON objects separated by commas, as PostgreSQL builds them. */
export function sendJsonList(reply: FastifyReply, recordsJson: string, otherFields: { links?: object; meta: object }) {
  const text = `{"data":[${recordsJson}],${JSON.stringify(otherFields).slice(1)}`
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Responses whose first chunk has fewer characters are not compressed: they fit into one or two packets anyway. */
const MIN_LENGTH_TO_COMPRESS = 2_000
/** Higher levels take more time than the smaller transfer saves. */
const GZIP_LEVEL = constants.Z_BEST_SPEED
const GZIP_CHUNK_BYTES = 64 * 1024

// Brotli is too slow for responses that are compressed on every request.
const acceptsGzip = (acceptEncoding: string | string[] | undefined) =>
  chooseEncoding(acceptEncoding, (encoding) => encoding === 'gzip') !== undefined

/** Sends a long JSON text in parts, so that the first ones arrive while later ones are still being generated. */
export async function streamJson(request: FastifyRequest, reply: FastifyReply, parts: AsyncGenerator<string>) {
  reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding')
  const firstPart = ((await parts.next()).value as string | undefined) ?? ''
  const stream = Readable.from(prepend(firstPart, parts), { objectMode: false })
  if (firstPart.length < MIN_LENGTH_TO_COMPRESS || !acceptsGzip(request.headers['accept-encoding']))
    return reply.send(stream)
  reply.header('content-encoding', 'gzip')
  // `pipeline` destroys both streams if one fails. Fastify handles the error of the last stream.
  return reply.send(pipeline(stream, createGzip({ level: GZIP_LEVEL, chunkSize: GZIP_CHUNK_BYTES }), () => {}))
}

async function* prepend(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
