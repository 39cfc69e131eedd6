/** The URLs that jobs send their beats to, and the list of beats. */
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { anyoneWithOwnLimit, requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { FastPath } from '../http/fast-path.ts'
import { readBodyStart } from '../http/read-body.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_OUTPUT_BYTES } from '../shared/monitors.ts'
import { type BeatSignal, parseSignal } from './beats.ts'
import { listBeats } from './heartbeats.ts'
import { toStoredOutput } from './output.ts'
import type { BeatReceiver } from './receiver.ts'
import { BeatList, BeatOutput, BeatParams, beatListDescription, SignalParams } from './schema.ts'

const tags = ['Heartbeats']
/** Web pages of any origin can send beats, too. */
const commonHeaders = { 'access-control-allow-origin': '*', 'cache-control': 'no-store' }
const beatHeaders = { ...commonHeaders, 'content-type': 'text/plain; charset=utf-8' }

const BeatResponse = {
  description: 'The beat is stored durably',
  content: { 'text/plain': { schema: Type.String({ examples: ['OK'] }) } },
}
const beatDescription =
  'Needs no credentials except the token. The response follows once the beat is stored durably. At most 120 beats a minute per token. Beats of a paused monitor are accepted and ignored.'

export function heartbeatRoutes(
  app: App,
  { clock, config, db, beatReceiver }: RouteDeps & { beatReceiver: BeatReceiver },
): void {
  app.get(
    '/api/monitors/:id/beats',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags,
        operationId: 'listBeats',
        summary: 'List the beats of a heartbeat, newest first',
        description: beatListDescription,
        params: idParams,
        response: { 200: BeatList },
      },
    },
    (request) =>
      listBeats(db.as(callerOf(request)), request.params.id, { now: clock.now(), serverTimeZone: config.timeZone }),
  )

  async function receive(request: FastifyRequest, reply: FastifyReply) {
    const { token, signal } = request.params as { token: string; signal?: string }
    const parsedSignal = parseSignal(signal)
    if (parsedSignal === undefined) throw notFound()
    const output = request.method === 'POST' ? toStoredOutput(request.body as string | undefined, token) : null
    await beatReceiver.receive(beatReceiver.admit(token), parsedSignal, output)
    return reply.headers(beatHeaders).send('OK')
  }

  const summaries = { plain: 'Report that a job is alive', signal: 'Report the start or the end of a run' }
  const getSchema = { tags, description: beatDescription, response: { 200: BeatResponse } }
  const postSchema = {
    ...getSchema,
    description: `${beatDescription} The body is kept as the last output of the job, whatever its content type.`,
    selfParsedBody: BeatOutput,
  }

  void app.register(async (beats: FastifyInstance) => {
    beats.removeAllContentTypeParsers()
    beats.addContentTypeParser('*', (_request: FastifyRequest, body: Readable) => readBodyStart(body, MAX_OUTPUT_BYTES))
    const beatConfig = { access: anyoneWithOwnLimit }
    beats.get(
      '/beat/:token',
      {
        config: beatConfig,
        schema: { ...getSchema, operationId: 'sendBeat', summary: summaries.plain, params: BeatParams },
      },
      receive,
    )
    beats.post(
      '/beat/:token',
      {
        config: beatConfig,
        schema: { ...postSchema, operationId: 'sendBeatWithOutput', summary: summaries.plain, params: BeatParams },
      },
      receive,
    )
    beats.get(
      '/beat/:token/:signal',
      {
        config: beatConfig,
        schema: { ...getSchema, operationId: 'sendSignal', summary: summaries.signal, params: SignalParams },
      },
      receive,
    )
    beats.post(
      '/beat/:token/:signal',
      {
        config: beatConfig,
        schema: { ...postSchema, operationId: 'sendSignalWithOutput', summary: summaries.signal, params: SignalParams },
      },
      receive,
    )
  })
}

interface BeatMatch {
  route: string
  token: string
  signal: BeatSignal
}

const beatUrlPattern = /^\/beat\/([\w-]+)(?:\/([A-Za-z0-9]*\/?))?(?:\?.*)?$/

/** Handles the same requests as the routes above, for `addFastPath`, which bypasses Fastify. */
export function createBeatFastPath(receiver: BeatReceiver): FastPath<BeatMatch, string> {
  return {
    match(method, url) {
      if (!url.startsWith('/beat/') || (method !== 'GET' && method !== 'POST' && method !== 'HEAD')) return undefined
      const [, token, segment] = beatUrlPattern.exec(url) ?? []
      const signal = parseSignal(segment)
      if (token === undefined || signal === undefined) return undefined
      return { route: signal.kind === 'alive' ? '/beat/:token' : '/beat/:token/:signal', token, signal }
    },
    headers: commonHeaders,
    admit: (_request, { token }) => receiver.admit(token),
    readBody: (request) => readBodyStart(request, MAX_OUTPUT_BYTES),
    async handle({ request, response, requestId, match: { signal, token }, admission: tokenHash, body }) {
      await receiver.receive(tokenHash, signal, request.method === 'POST' ? toStoredOutput(body, token) : null)
      response.writeHead(200, { ...beatHeaders, 'x-request-id': requestId, 'content-length': 2 }).end('OK')
    },
  }
}
