/** Work that begins only after the response was sent, so that the time of the response reveals nothing about it. */
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import type { App } from './app-type.ts'

/** Returns a function that runs work after a response. The server waits for it before it closes the database. */
export function createAfterResponse(
  app: App,
  { log }: { log: Logger },
): (reply: FastifyReply, work: () => Promise<void>) => void {
  const running = new Set<Promise<void>>()
  app.addHook('onClose', async () => {
    await Promise.all(running)
  })
  return (reply, work) => {
    // `close` is also emitted if the client has disconnected.
    reply.raw.once('close', () => {
      const run = work()
        .catch((error) => log.error({ err: error }, 'work after a response failed'))
        .finally(() => running.delete(run))
      running.add(run)
    })
  }
}
