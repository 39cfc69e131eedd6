/** Long JSON, sent piece by piece while the rest is still being written, and compressed for whoever takes that. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Characters; what is shorter fits into a packet or two as it is. */
const COMPRESSED_FROM = 2_000
/** Each further level costs more time than it saves on the way. */
const LEVEL = constants.Z_BEST_SPEED
const CHUNK = 64 * 1024

export async function sendPieces(request: FastifyRequest, reply: FastifyReply, pieces: AsyncGenerator<string>) {
  reply.type('application/json; charset=utf-8').header('vary', 'Accept-Encoding')
  const first = ((await pieces.next()).value as string | undefined) ?? ''
  const stream = Readable.from(chain(first, pieces), { objectMode: false })
  if (first.length < COMPRESSED_FROM || !takesGzip(request)) return reply.send(stream)
  reply.header('content-encoding', 'gzip')
  // Whatever becomes of the one becomes of the other, and Fastify looks after the last.
  return reply.send(pipeline(stream, createGzip({ level: LEVEL, chunkSize: CHUNK }), () => {}))
}

async function* chain(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** Named, or meant by `*`, and not refused by `q=0`. */
export function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const offers = [headers['accept-encoding'] ?? []].flat().join(',').toLowerCase().split(',')
  const find = (coding: string) => offers.find((offer) => offer.split(';', 1)[0]?.trim() === coding)
  const offer = find('gzip') ?? find('*')
  return offer !== undefined && !/;\s*q=0(\.0*)?\s*$/.test(offer)
}
