/**
 * The path that people see before ours, where BELFRY_URL has one. A proxy may take it off or leave it on: a request with it and
 * one without are the same. No path of ours begins like it; the configuration sees to that.
 */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** `/belfry`, or nothing. */
export function prefixOf({ url }: Pick<Config, 'url'>): string {
  return url === undefined ? '' : new URL(url).pathname.replace(/\/$/, '')
}

export function withoutPrefix(prefix: string, url: string): string {
  return url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url
}

/** Relative addresses would lead elsewhere from an address that does not end in a slash. */
export function completePrefix(app: FastifyInstance, prefix: string): void {
  app.addHook('onRequest', async (request, reply) => {
    const { url } = request
    if (url === prefix || url.startsWith(`${prefix}?`)) {
      return reply.redirect(`${prefix}/${url.slice(prefix.length)}`, 301)
    }
    return undefined
  })
}
