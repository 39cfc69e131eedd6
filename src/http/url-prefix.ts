/**
 * Handles the path prefix in the public URL, for servers behind a proxy. The proxy can strip the prefix or pass it on, so requests
 * with and without it are treated the same. The configuration ensures that none of our own paths begins with the prefix.
 */
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'

/** Returns the prefix, for example `/belfry`, or an empty string. */
export function urlPrefixOf({ url }: Pick<Config, 'url'>): string {
  if (url === undefined) return ''
  // Every request needs the prefix, so this doesn't parse the whole URL. The URL has a scheme and no trailing slash.
  const pathStart = url.indexOf('/', url.indexOf('//') + 2)
  return pathStart === -1 ? '' : url.slice(pathStart)
}

export function stripPrefix(prefix: string, url: string): string {
  return prefix !== '' && url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : url
}

/** Redirects `/belfry` to `/belfry/`. Without the trailing slash, relative URLs in our pages would resolve to the wrong paths. */
export function redirectToPrefix(app: FastifyInstance, config: Pick<Config, 'url'>): void {
  // This hook takes a callback instead of returning a promise, so that it delays no response.
  app.addHook('onRequest', (request, reply, done) => {
    const { url } = request
    const prefix = urlPrefixOf(config)
    if (prefix !== '' && (url === prefix || url.startsWith(`${prefix}?`))) {
      reply.redirect(`${prefix}/${url.slice(prefix.length)}`, 301)
    } else done()
  })
}
