/** Long JSON, sent piece by piece while the rest is still being written, and compressed for whoever takes that. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseEncoding } from './encodings.ts'

/** Characters; what is shorter fits into a packet or two as it is. */
const COMPRESSED_FROM = 2_000
/** Each further level costs more time than it saves on the way. */
const LEVEL = constants.Z_BEST_SPEED
const CHUNK = 64 * 1024

/** Nothing else: what is compressed anew each time has to be quick. */
const takesGzip = (header: string | string[] | undefined) =>
  chooseEncoding(header, (encoding) => encoding === 'gzip') !== undefined

export async function sendPieces(request: FastifyRequest, reply: FastifyReply, pieces: AsyncGenerator<string>) {
  reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding')
  const first = ((await pieces.next()).value as string | undefined) ?? ''
  const stream = Readable.from(chain(first, pieces), { objectMode: false })
  if (first.length < COMPRESSED_FROM || !takesGzip(request.headers['accept-encoding'])) return reply.send(stream)
  reply.header('content-encoding', 'gzip')
  // Whatever becomes of the one becomes of the other, and Fastify looks after the last.
  return reply.send(pipeline(stream, createGzip({ level: LEVEL, chunkSize: CHUNK }), () => {}))
}

async function* chain(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}
