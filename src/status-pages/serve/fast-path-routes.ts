/**
 * Serves pages from their copies, without Fastify and without looking up the visitor. `routes.ts` handles all other
 * requests.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { SESSION_COOKIE } from '../../http/cookies.ts'
import type { FastPath } from '../../http/fast-path.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { urlPrefixOf } from '../../http/url-prefix.ts'
import { Problem } from '../../lib/problem.ts'
import { findDomainTarget } from '../domains/host-routing.ts'
import { toStatusPagePaths } from '../urls.ts'
import { isOpenToVisitor, lockedPageProblem } from './access.ts'
import type { StatusPageCopies } from './copies.ts'
import { parsePageUrl, type StatusPageRequest } from './formats.ts'
import { dataHeaders } from './render-format.ts'
import { findReadyPage, respondWithPage } from './respond.ts'
import { renderUnlockForm, unlockFormHeaders } from './unlock-form.ts'

export type CopyServerDeps = Pick<RouteDeps, 'clock' | 'config' | 'secret'> & { statusPageCopies: StatusPageCopies }

/** Recognizing the owner of a page needs the database. Without `canFindOwner`, owners get the same response as strangers. */
export function createStatusPageFastPath(
  deps: CopyServerDeps,
  options = { canFindOwner: true },
): FastPath<StatusPageRequest, undefined> {
  const servePage = createCopyServer(deps, options)
  return {
    match(method, url) {
      if (method !== 'GET' && method !== 'HEAD') return undefined
      const request = parsePageUrl(url)
      if (request === undefined || !deps.statusPageCopies.has(request.slug)) return undefined
      // Leave badges with options to Fastify, which validates the options.
      return request.format === 'badge' && request.query !== '' ? undefined : request
    },
    respondNow: createReadyPageServer(deps),
    headers: { ...dataHeaders, 'cache-control': 'no-store' },
    admit: () => undefined,
    readBody: async () => '',
    handle: ({ request, response, requestId, match }) =>
      servePage(request, response, requestId, match).catch((error) => {
        // Leave the response to Fastify, which knows whether to respond with an HTML page.
        if (match.format === 'html' && error instanceof Problem && error.code === 'unavailable') return 'next' as const
        throw error
      }),
  }
}

/** Serves public pages that are up to date and rendered. Returns whether the request was for one. */
function createReadyPageServer({ config, statusPageCopies }: CopyServerDeps) {
  return (
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    { slug, format }: StatusPageRequest,
  ): boolean => {
    const { headers, method } = request
    if (format !== 'html' || headers.authorization !== undefined) return false
    const copy = statusPageCopies.findFresh(slug)
    if (copy === undefined) return false
    const isAtOwnHost = findDomainTarget(request) === undefined
    const readyPage = findReadyPage(copy, isAtOwnHost ? urlPrefixOf(config) : undefined, headers)
    if (readyPage === undefined) return false
    const ownHeaders = Object.entries(toOwnHeaders(config)).flat()
    response.writeHead(200, [...readyPage.headers, ...(isAtOwnHost ? ownHeaders : []), 'x-request-id', requestId])
    response.end(method === 'HEAD' ? undefined : readyPage.body)
    return true
  }
}

/**
 * Resolves with `next` if the request needs the database: the page may not exist any more, or the visitor may be its
 * owner.
 */
type CopyServer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  pageRequest: StatusPageRequest,
) => Promise<'next' | undefined>

function createCopyServer(deps: CopyServerDeps, { canFindOwner }: { canFindOwner: boolean }): CopyServer {
  const { clock, config, statusPageCopies } = deps
  return async (request, response, requestId, { slug, format, monitorId }) => {
    const { headers, method } = request
    // Leave requests with an API key to Fastify, which rejects invalid keys.
    if (headers.authorization !== undefined) return 'next'
    const foundCopy = await statusPageCopies.find(slug)
    if (foundCopy === undefined) return 'next'
    const isAtOwnHost = findDomainTarget(request) === undefined
    const pathPrefix = isAtOwnHost ? urlPrefixOf(config) : undefined
    const ownHeaders = toOwnHeaders(config)
    if (!isOpenToVisitor(deps, foundCopy.copy.snapshot.access, headers.cookie)) {
      // The visitor may be the owner of the page, who needs no password. `routes.ts` looks up the session.
      if (canFindOwner && headers.cookie?.includes(SESSION_COOKIE)) return 'next'
      if (format !== 'html') throw lockedPageProblem()
      const { base } = toStatusPagePaths(slug, pathPrefix)
      const html = renderUnlockForm(base)
      const formHeaders = { ...unlockFormHeaders(base), ...(isAtOwnHost && ownHeaders) }
      response.writeHead(401, { ...formHeaders, 'x-request-id': requestId })
      response.end(method === 'HEAD' ? undefined : html)
      return undefined
    }
    const visit = {
      format,
      monitorId,
      headers,
      pathPrefix,
      serverUrl: config.url,
    }
    const { status, headers: responseHeaders, body } = await respondWithPage(foundCopy, visit, clock)
    response.writeHead(status, { ...responseHeaders, ...(isAtOwnHost && ownHeaders), 'x-request-id': requestId })
    response.end(method === 'HEAD' ? undefined : body)
    return undefined
  }
}

/** These headers are not sent at custom domains, which may have no certificate. */
const toOwnHeaders = ({ url }: CopyServerDeps['config']) =>
  url?.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}
