/** Counts the requests in progress, so that threads can yield to them. */
import type { FastifyInstance } from 'fastify'
import type { RequestsInProgress } from '../lib/yield-to-requests.ts'

export function countRequestsInProgress(
  app: FastifyInstance,
  { requestsInProgress }: { requestsInProgress: RequestsInProgress },
): void {
  app.addHook('onRequest', (_request, reply, done) => {
    // If the client disconnects, the response emits `close` but not `finish`.
    reply.raw.once('close', requestsInProgress.begin())
    done()
  })
}
