/** Acknowledges an incident with the link in a message, without signing in. */
import type { FastifyReply } from 'fastify'
import { acknowledgeIncident } from '../alerts/acknowledge.ts'
import { ACKNOWLEDGE_PATH, parseAcknowledgeToken } from '../alerts/acknowledge-link.ts'
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { originOf } from '../http/change-origin.ts'
import { renderHtml, sendHtml } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { Type } from '../lib/type.ts'
import { describeChannel, invalidLinkHtml, renderLinkedIncident } from './link-pages.ts'
import { findLinkedIncident, type LinkedIncident } from './link-store.ts'

const MAX_TOKEN_LENGTH = 100

export function acknowledgeLinkRoutes(app: App, { clock, config, db, secret }: RouteDeps): void {
  const url = `${ACKNOWLEDGE_PATH}/:token`
  const route = {
    config: { access: anyone },
    schema: { hide: true, params: Type.Object({ token: Type.String({ maxLength: MAX_TOKEN_LENGTH }) }) },
  }

  const sendPage = (reply: FastifyReply, incident: LinkedIncident | undefined) => {
    const body = incident === undefined ? invalidLinkHtml : renderLinkedIncident(incident, config.timeZone)
    return sendHtml(reply.code(incident === undefined ? 404 : 200), renderHtml('Acknowledge incident', body))
  }

  // Chats and virus scanners follow links in messages, so a GET request must not change anything.
  app.get(url, route, async (request, reply) => {
    const target = parseAcknowledgeToken(secret, request.params.token)
    return sendPage(reply, target && (await findLinkedIncident(db, target)))
  })

  // If the incident was resolved or acknowledged in the meantime, nothing changes, and the page says so.
  app.post(url, route, async (request, reply) => {
    const target = parseAcknowledgeToken(secret, request.params.token)
    if (target === undefined) return sendPage(reply, undefined)
    const incident = await db.recordingOrigin(originOf(request)).transaction(async (q) => {
      const linkedIncident = await findLinkedIncident(q, target)
      if (linkedIncident === undefined) return undefined
      await acknowledgeIncident(q, target, { at: clock.now(), by: describeChannel(linkedIncident) })
      return findLinkedIncident(q, target)
    })
    return sendPage(reply, incident)
  })
}
