/** Counts the requests in progress, so that threads can give way to them. */
import type { FastifyInstance } from 'fastify'
import type { RequestsInProgress } from '../lib/give-way.ts'

export function countRequestsInProgress(
  app: FastifyInstance,
  { requestsInProgress }: { requestsInProgress: RequestsInProgress },
): void {
  app.addHook('onRequest', (_request, reply, done) => {
    // If the client doesn't wait for the response, it closes without finishing.
    reply.raw.once('close', requestsInProgress.begin())
    done()
  })
}
