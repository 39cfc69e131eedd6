/** The HTTP server: its rules, and every route file on one screen. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { accountRoutes } from '../accounts/routes.ts'
import { sessionRoutes } from '../accounts/session-routes.ts'
import { setupPageRoutes } from '../accounts/setup-routes.ts'
import { alertRoutes } from '../alerts/routes.ts'
import { assignmentRoutes } from '../assignments/routes.ts'
import { checkRoutes } from '../checker/routes.ts'
import { isOwnPath } from '../config/own-paths.ts'
import type { App } from '../http/app-type.ts'
import { addAuthentication } from '../http/authentication.ts'
import { addBodyParsers, MAX_BODY_BYTES } from '../http/body-parser.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { handleErrors, respondToParseError, sendProblem, toProblem } from '../http/errors.ts'
import { addFastPath } from '../http/fast-path.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { sendProblemPage } from '../http/html-page.ts'
import { describeApi } from '../http/openapi.ts'
import { logRequests } from '../http/request-log.ts'
import { addResponseHeaders } from '../http/response-headers.ts'
import { handleUnknownPaths } from '../http/unknown-paths.ts'
import { redirectToPrefix, stripPrefix, urlPrefixOf } from '../http/url-prefix.ts'
import { incidentRoutes } from '../incidents/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { liveRoutes } from '../live/routes.ts'
import { monitorRoutes } from '../monitors/routes.ts'
import { overviewRoutes } from '../overview/routes.ts'
import { providerRoutes } from '../providers/routes.ts'
import { resultRoutes } from '../results/routes.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import { collectRoutes, collectShortcut } from '../traffic/collect/routes.ts'
import { createCollectEvent } from '../traffic/collect/steps.ts'
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
  const prefix = urlPrefixOf(config)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Lines carry the request's id themselves; a logger for each request would cost as much as its line.
    childLoggerFactory: (logger) => logger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: [...config.trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    ...(prefix !== '' && { rewriteUrl: ({ url = '/' }: IncomingMessage) => stripPrefix(prefix, url) }),
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
    clientErrorHandler: (error, socket) => respondToParseError(error, socket, randomUUID()),
    frameworkErrors: (error, request, reply) => {
      sendProblem(toProblem(error), request, reply)
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  // Answers are described by their schemas and checked against them in tests; plain JSON is the fastest way to write them.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.decorateRequest('caller', undefined)
  app.addHook('onRoute', ({ method, url, config: route }) => {
    if (route?.access === undefined) throw new Error(`${method} ${url} does not say who may call it`)
    if (!isOwnPath(url)) throw new Error(`${url} begins like nothing in own-paths.ts, so a prefix might`)
  })

  addResponseHeaders(app, services)
  logRequests(app, services)
  if (prefix !== '') redirectToPrefix(app, prefix)
  // A person may go to any path, be it none. Routes that are pages say so themselves.
  handleErrors(app, (problem, request, reply) =>
    (request.is404 ? sendProblemPage : sendProblem)(problem, request, reply),
  )
  const sendShell = shellSender(services)
  const { closeShadowed } = handleUnknownPaths(
    app,
    config.roles.has('web') ? (request, reply) => sendShell(request, reply, { status: 404 }) : undefined,
  )
  addBodyParsers(app)
  addAuthentication(app, services)
  describeApi(app, config)

  const collectEvent = createCollectEvent(services)
  await app.register(async (routes) => {
    const typed = routes.withTypeProvider<TypeBoxTypeProvider>()
    healthRoutes(typed, services, () => services.checkService.degradedReasons)
    if (!config.roles.has('web')) return
    docsRoutes(typed)
    setupPageRoutes(typed, services)
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
  if (config.roles.has('web')) addFastPath(app.server, collectShortcut(collectEvent), services)
  return app
}
