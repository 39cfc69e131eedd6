/** What all routes of a public status page share: finding the page of a request, and what visitors get instead of it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendProblemPage } from '../../http/html-page.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { toStatusPagePaths } from '../urls.ts'
import type { FoundCopy, StatusPageCopies } from './copies.ts'
import { isForCustomDomain, sendDomainNotFound } from './domain-routes.ts'
import { findVisiblePage } from './find-visible-page.ts'
import { toCanonicalSlug } from './formats.ts'
import { parsePagePart } from './unlock-form.ts'
import { pathPrefixFor, sendUnlockForm } from './unlock-routes.ts'

export type StatusPageServeDeps = Pick<RouteDeps, 'clock' | 'config' | 'counter' | 'secret'> & {
  /** undefined: the server has no database yet, and serves only copies. */
  db: RouteDeps['db'] | undefined
  statusPageCopies: StatusPageCopies
}

/**
 * Finds the page whose slug the URL names, if the visitor may see it. Redirects to the slug in lower case, and returns undefined then.
 */
export async function openRequestedPage(
  deps: StatusPageServeDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<{ foundCopy: FoundCopy; pathPrefix: string | undefined } | undefined> {
  const { slug } = request.params as { slug: string }
  const canonicalSlug = toCanonicalSlug(slug)
  if (canonicalSlug === undefined) throw notFound()
  const pathPrefix = pathPrefixFor(deps, request)
  if (canonicalSlug !== slug) {
    reply.redirect(toCanonicalPath(request.url, pathPrefix ?? '', canonicalSlug), 301)
    return undefined
  }
  const { caller, headers } = request
  return { foundCopy: await findVisiblePage(deps, slug, { caller, cookieHeader: headers.cookie }), pathPrefix }
}

/** For HTML: visitors without the password get the form that asks for it. */
export function createPageErrorHandler(deps: StatusPageServeDeps) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply) => {
    const code = error instanceof Problem ? error.code : undefined
    if (code === 'password_required') {
      const { slug } = request.params as { slug: string }
      const { base } = toStatusPagePaths(slug, pathPrefixFor(deps, request))
      const [, partText = ''] = /^\/status\/[^/]+\/([^?]+)/.exec(request.url) ?? []
      return sendUnlockForm(reply, base, { part: parsePagePart(partText) })
    }
    return code === 'not_found' && isForCustomDomain(request)
      ? sendDomainNotFound(request, reply)
      : sendProblemPage(error, request, reply)
  }
}

/** Returns the same URL with the slug in lower case. */
function toCanonicalPath(url: string, pathPrefix: string, slug: string): string {
  return pathPrefix + url.replace(/^\/status\/[^/?.]+/, `/status/${slug}`)
}
