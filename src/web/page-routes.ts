/** Paths of the web application. They all return the same HTML document, whose script shows the page for the path. */
import type { FastifyRequest } from 'fastify'
import { pageVisitor } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sendProblemPage } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { OverviewReader } from '../overview/overview.ts'
import type { ShellSender } from './send-shell.ts'

const idParam = ':id(^\\d+$)'

const overviewPath = '/'

export const applicationPaths = [
  overviewPath,
  '/sign-in',
  '/account',
  '/account/server',
  '/maintenance',
  '/maintenance/new',
  `/maintenance/${idParam}`,
  '/incidents',
  `/incidents/${idParam}`,
  '/monitors',
  '/monitors/new',
  `/monitors/${idParam}`,
  `/monitors/${idParam}/edit`,
  '/websites/new',
  '/notification-channels',
  '/notification-channels/new',
  `/notification-channels/${idParam}`,
  '/status-pages',
  '/status-pages/new',
  '/status-pages/posts/new',
  `/status-pages/${idParam}`,
  `/status-pages/${idParam}/posts`,
  `/status-pages/${idParam}/posts/new`,
  `/status-pages/${idParam}/posts/:post(^\\d+$)`,
  `/status-pages/${idParam}/subscribers`,
  '/keys',
  '/users',
  '/team',
  '/teams/new',
  '/audit',
  '/account/security',
  '/account/server/single-sign-on',
  '/forgot-password',
  '/reset-password/:token',
  '/confirm-email/:token',
  '/invitations/:token',
]

/** Where the pages of notification channels were in earlier versions. Bookmarks and links in old messages lead there. */
const formerChannelPaths = ['/providers', '/providers/new', `/providers/${idParam}`]

/** Relative, because a proxy may add a path prefix that the server doesn't know. */
function toChannelLocation(url: string): string {
  const isSubpage = url.startsWith('/providers/')
  return `${isSubpage ? '../' : './'}notification-channels${url.slice('/providers'.length)}`
}

/** The options of routes that send pages. */
export function createPageOptions({ db }: RouteDeps) {
  return {
    config: { access: pageVisitor },
    errorHandler: sendProblemPage,
    // Most pages run no query as the caller, so nothing else would notice that the API key was revoked.
    preHandler: async ({ caller }: FastifyRequest) => {
      if (caller?.kind === 'key') await db.as(caller).confirm()
    },
  }
}

export function webPageRoutes(
  app: App,
  deps: RouteDeps,
  { overviewReader, sendShell }: { overviewReader: OverviewReader; sendShell: ShellSender },
): void {
  const options = { ...createPageOptions(deps), schema: { hide: true } }
  app.get(overviewPath, options, (request, reply) => {
    if (request.caller?.kind === 'session') overviewReader.prepareVisitorCounts(request.caller)
    return sendShell(request, reply)
  })
  for (const path of applicationPaths) if (path !== overviewPath) app.get(path, options, sendShell)
  for (const path of formerChannelPaths) {
    app.get(path, options, ({ url }, reply) => reply.redirect(toChannelLocation(url), 301))
  }
}
