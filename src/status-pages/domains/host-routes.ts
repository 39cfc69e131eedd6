/** Routes requests for custom domains of status pages, before all other routes. Requests for other hosts stay as they are. */
import type { RequestListener, Server } from 'node:http'
import type { Config } from '../../config/config.ts'
import { noteOtherHost } from '../../http/origin.ts'
import { toOriginForm } from '../../http/request-rules.ts'
import { createProxyTest } from '../../http/trusted-proxies.ts'
import { stripPrefix, urlPrefixOf } from '../../http/url-prefix.ts'
import type { CustomDomains } from './custom-domains.ts'
import { createDomainFinder, setDomainTarget, translateDomainUrl } from './host-routing.ts'

interface HostRoutingDeps {
  config: Pick<Config, 'trustedProxies' | 'url'>
  customDomains: CustomDomains
}

/**
 * Call it after all other listeners were added. Requests for paths that a custom domain doesn't serve go to
 * `notFoundListener`. It must be Fastify's own listener, not one that handles some paths without Fastify.
 */
export function addHostRouting(
  server: Server,
  { config, customDomains }: HostRoutingDeps,
  notFoundListener: RequestListener,
): void {
  const isTrustedProxy = createProxyTest(config.trustedProxies)
  const findSlug = createDomainFinder({ config, customDomains, isTrustedProxy })
  const [nextListener] = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    const slug = findSlug(request)
    if (slug === undefined) return nextListener?.(request, response)
    const { target, url } = translateDomainUrl(stripPrefix(urlPrefixOf(config), toOriginForm(request.url ?? '')), slug)
    setDomainTarget(request, target)
    noteOtherHost(request)
    request.url = url
    const isServed = target === 'page' || target === 'collect'
    return isServed ? nextListener?.(request, response) : notFoundListener(request, response)
  })
}
