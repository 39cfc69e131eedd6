/** The icon of a website, for everybody who may read its statistics. */
import { optionalCaller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { idParams } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { authorizeStatistics } from '../traffic/stats/access.ts'
import type { Favicons } from './favicons.ts'

/** Seconds after which a client can request an icon again while it is being fetched. */
const RETRY_SECONDS = 2

const imageHeaders = {
  // An SVG file can contain scripts. These headers make sure that none runs if somebody opens the URL.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'content-disposition': 'inline; filename="favicon"',
}

const imageTypes = ['image/png', 'image/x-icon', 'image/svg+xml', 'image/jpeg', 'image/gif', 'image/webp']
const imageContent = Object.fromEntries(imageTypes.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]))

export function faviconRoutes(app: App, services: RouteDeps & { favicons: Favicons }): void {
  app.get(
    '/api/v1/websites/:id/favicon',
    {
      config: { access: optionalCaller('websites:read') },
      schema: {
        tags: ['Websites'],
        operationId: 'getWebsiteFavicon',
        summary: "Get a website's icon",
        description:
          "Belfry fetches the icon from the website and caches it for a day. Everybody who can read the website's statistics can see it.",
        params: idParams,
        response: {
          200: { description: 'The icon, up to 64 KiB', content: imageContent },
          202: Type.Null({ description: 'Belfry is fetching the icon. Try again after the seconds in `Retry-After`' }),
          204: Type.Null({
            description: 'The website has no icon or is sample data, or the operator has turned icons off',
          }),
        },
      },
    },
    async (request, reply) => {
      const requester = { caller: request.caller, cookieHeader: request.headers.cookie }
      const { site } = await authorizeStatistics(services, requester, request.params.id)
      const lookup = await services.favicons.find(site)
      if (lookup.state === 'missing') return reply.code(204).send(null)
      if (lookup.state === 'pending') return reply.code(202).header('retry-after', RETRY_SECONDS).send(null)
      const { contentType, image } = lookup.icon
      return reply
        .headers(imageHeaders)
        .type(contentType)
        .send(image as never)
    },
  )
}
