/** Serves pages that have a copy without Fastify and without looking up the visitor. `routes.ts` handles all other requests. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { FastPath } from '../../http/fast-path.ts'
import { getBaseUrl } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { urlPrefixOf } from '../../http/url-prefix.ts'
import { findDomainTarget } from '../domains/host-routing.ts'
import { isOpenToVisitor } from './access.ts'
import type { StatusPageCopies } from './copies.ts'
import { type PageRequest, parsePageUrl } from './forms.ts'
import { dataHeaders } from './render-form.ts'
import { respondWithPage } from './respond.ts'

export type CopyServerDeps = Pick<RouteDeps, 'clock' | 'config' | 'secret'> & { statusPageCopies: StatusPageCopies }

export function createStatusPageFastPath(deps: CopyServerDeps): FastPath<PageRequest, undefined> {
  const serve = createCopyServer(deps)
  return {
    match(method, url) {
      if (method !== 'GET' && method !== 'HEAD') return undefined
      const request = parsePageUrl(url)
      if (request === undefined || !deps.statusPageCopies.has(request.slug)) return undefined
      // The options of badges have to be validated.
      return request.form === 'badge' && request.query !== '' ? undefined : request
    },
    headers: { ...dataHeaders, 'cache-control': 'no-store' },
    admit: () => undefined,
    readBody: async () => '',
    handle: (_body, request, response, requestId, _admission, match) => serve(request, response, requestId, match),
  }
}

/** Resolves with `next` if the request needs the database: the page may be gone, or the visitor may be its owner. */
export type CopyServer = (
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  pageRequest: PageRequest,
) => Promise<'next' | undefined>

export function createCopyServer(deps: CopyServerDeps): CopyServer {
  const { clock, config, statusPageCopies } = deps
  const ownPrefix = urlPrefixOf(config)
  const ownHeaders = config.url?.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}

  return async (request, response, requestId, { slug, form, monitorId }) => {
    const { headers, method } = request
    // Fastify rejects API keys that are not valid.
    if (headers.authorization !== undefined) return 'next'
    const mustKnowOrigin = config.url === undefined && form !== 'html' && form !== 'badge' && form !== 'logo'
    if (mustKnowOrigin && isForwarded(headers)) return 'next'
    const found = await statusPageCopies.find(slug)
    if (found === undefined || !isOpenToVisitor(deps, found.copy.snapshot.access, headers.cookie)) return 'next'
    const isAtOwnHost = findDomainTarget(request) === undefined
    const visit = {
      form,
      monitorId,
      headers,
      pathPrefix: isAtOwnHost ? ownPrefix : '',
      getServerUrl: () => toServerUrl(config, request),
      hasConfiguredUrl: config.url !== undefined,
    }
    const { status, headers: responseHeaders, body } = await respondWithPage(found, visit, clock)
    response.writeHead(status, { ...responseHeaders, ...(isAtOwnHost && ownHeaders), 'x-request-id': requestId })
    response.end(method === 'HEAD' ? undefined : body)
    return undefined
  }
}

/** Fastify knows which proxies are trusted to name the host. */
const isForwarded = (headers: IncomingHttpHeaders) =>
  headers['x-forwarded-host'] !== undefined || headers['x-forwarded-proto'] !== undefined

const toServerUrl = (config: CopyServerDeps['config'], { headers, socket }: IncomingMessage) =>
  getBaseUrl(config, { protocol: 'http', host: headers.host ?? '', headers, socket })
