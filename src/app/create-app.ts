/** The HTTP server: its rules, and every route file on one screen. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { accountRoutes } from '../accounts/routes.ts'
import { sessionRoutes } from '../accounts/session-routes.ts'
import { pageRoutes } from '../accounts/setup-routes.ts'
import { alertRoutes } from '../alerts/routes.ts'
import { assignmentByProviderRoutes } from '../assignments/by-provider-routes.ts'
import { assignmentRoutes } from '../assignments/routes.ts'
import { checkRoutes } from '../checker/routes.ts'
import { isOwnPath } from '../config/own-paths.ts'
import type { App } from '../http/app-type.ts'
import { authentication } from '../http/authentication.ts'
import { BODY_LIMIT, readBodies } from '../http/bodies.ts'
import { docsRoutes } from '../http/docs.ts'
import { answerUnreadable, handleErrors, problemOf, sendProblem } from '../http/errors.ts'
import { setHeaders } from '../http/headers.ts'
import { answerUnknownPaths } from '../http/methods.ts'
import { describeApi } from '../http/openapi.ts'
import { completePrefix, prefixOf, withoutPrefix } from '../http/prefix.ts'
import { probeRoutes } from '../http/probes.ts'
import { sendProblemPage } from '../http/problem-page.ts'
import { logRequests } from '../http/request-log.ts'
import { addShortcut } from '../http/shortcut.ts'
import { incidentRoutes } from '../incidents/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { liveRoutes } from '../live/routes.ts'
import { monitorRoutes } from '../monitors/routes.ts'
import { overviewRoutes } from '../overview/routes.ts'
import { providerRoutes } from '../providers/routes.ts'
import { resultRoutes } from '../results/routes.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import { createCollectEvent } from '../traffic/collect/steps.ts'
import { collectRoutes, collectShortcut } from '../traffic/collect/routes.ts'
import { trackerRoutes } from '../traffic/collect/tracker-routes.ts'
import { droppedRoutes } from '../traffic/dropped/routes.ts'
import { exclusionRoutes } from '../traffic/exclusions/routes.ts'
import { unsubscribeRoutes } from '../traffic/reports/unsubscribe-routes.ts'
import { statisticsRoutes } from '../traffic/stats/routes.ts'
import { unlockRoutes } from '../traffic/stats/unlock-routes.ts'
import { webFileRoutes } from '../web/file-routes.ts'
import { webPageRoutes } from '../web/page-routes.ts'
import { shellSender } from '../web/send-shell.ts'
import { websitePageRoutes } from '../web/website-page-routes.ts'
import { websiteRoutes } from '../websites/routes.ts'
import type { Services } from './services.ts'

export async function createApp(services: Services): Promise<App> {
  const { config, log } = services
  const prefix = prefixOf(config)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Lines carry the request's id themselves; a logger for each request would cost as much as its line.
    childLoggerFactory: (logger) => logger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: [...config.trustedProxies],
    bodyLimit: BODY_LIMIT,
    ...(prefix !== '' && { rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutPrefix(prefix, url) }),
    // A domain, with a `www.` before it.
    routerOptions: { maxParamLength: MAX_DOMAIN_LENGTH + 4 },
    // A client that sends its request in drips is cut off.
    requestTimeout: 60_000,
    forceCloseConnections: 'idle',
    ajv: {
      customOptions: {
        allErrors: true,
        // Errors carry their schema, so that a message can name both ends of a range.
        verbose: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: true,
        allowUnionTypes: true,
      },
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, randomUUID()),
    frameworkErrors: (error, request, reply) => {
      sendProblem(problemOf(error), request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  // Answers are described by their schemas and checked against them in tests; plain JSON is the fastest way to write them.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.decorateRequest('caller', undefined)
  app.addHook('onRoute', ({ method, url, config: route }) => {
    if (route?.access === undefined) throw new Error(`${method} ${url} does not say who may call it`)
    if (!isOwnPath(url)) throw new Error(`${url} begins like nothing in own-paths.ts, so a prefix might`)
  })

  setHeaders(app, services)
  logRequests(app, services)
  if (prefix !== '') completePrefix(app, prefix)
  // A person may go to any path, be it none. Routes that are pages say so themselves.
  handleErrors(app, (problem, request, reply) =>
    (request.is404 ? sendProblemPage : sendProblem)(problem, request, reply),
  )
  const sendShell = shellSender(services)
  const { closeShadowed } = answerUnknownPaths(
    app,
    config.roles.has('web') ? (request, reply) => sendShell(request, reply, { status: 404 }) : undefined,
  )
  readBodies(app)
  authentication(app, services)
  describeApi(app, config)

  const collectEvent = createCollectEvent(services)
  await app.register(async (routes) => {
    const typed = routes.withTypeProvider<TypeBoxTypeProvider>()
    probeRoutes(typed, services, () => services.checkService.degradedReasons)
    if (!config.roles.has('web')) return
    docsRoutes(typed)
    pageRoutes(typed, services)
    sessionRoutes(typed, services)
    accountRoutes(typed, services)
    keyRoutes(typed, services)
    overviewRoutes(typed, services)
    liveRoutes(typed, services)
    websiteRoutes(typed, services)
    droppedRoutes(typed, services)
    exclusionRoutes(typed, services)
    unlockRoutes(typed, services)
    monitorRoutes(typed, services)
    checkRoutes(typed, services)
    incidentRoutes(typed, services)
    resultRoutes(typed, services)
    providerRoutes(typed, services)
    assignmentRoutes(typed, services)
    assignmentByProviderRoutes(typed, services)
    alertRoutes(typed, services)
    collectRoutes(typed, collectEvent)
    statisticsRoutes(typed, services)
    unsubscribeRoutes(typed, services)
    trackerRoutes(typed)
    webFileRoutes(typed, services)
    webPageRoutes(typed, sendShell)
    websitePageRoutes(typed, services, sendShell)
    closeShadowed(routes)
  })
  await app.ready()
  if (config.roles.has('web')) addShortcut(app.server, collectShortcut(collectEvent), services)
  return app
}
