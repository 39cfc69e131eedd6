/** Builds the HTTP server from the HTTP core and every route file. */
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
import { isReservedPath } from '../config/reserved-paths.ts'
import { faviconRoutes } from '../favicons/routes.ts'
import { createBeatFastPath, heartbeatRoutes } from '../heartbeats/routes.ts'
import type { App } from '../http/app-type.ts'
import { addAuthentication } from '../http/authentication.ts'
import { addBodyParsers, MAX_BODY_BYTES } from '../http/body-parser.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { handleErrors, sendProblem, toProblem } from '../http/errors.ts'
import { addFastPath } from '../http/fast-path.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { sendProblemPage } from '../http/html-page.ts'
import { rejectInvalidRequests } from '../http/invalid-requests.ts'
import { describeApi } from '../http/openapi.ts'
import { logRequests, logResponse } from '../http/request-log.ts'
import { enforceRequestRules, toOriginForm } from '../http/request-rules.ts'
import { addResponseHeaders } from '../http/response-headers.ts'
import { handleUnknownPaths } from '../http/unknown-paths.ts'
import { redirectToPrefix, stripPrefix, urlPrefixOf } from '../http/url-prefix.ts'
import { compileValidator } from '../http/validator-compiler.ts'
import { incidentRoutes } from '../incidents/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { liveRoutes } from '../live/routes.ts'
import { maintenanceRoutes } from '../maintenances/routes.ts'
import { monitorRoutes } from '../monitors/routes.ts'
import { overviewRoutes } from '../overview/routes.ts'
import { providerRoutes } from '../providers/routes.ts'
import { resultRoutes } from '../results/routes.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import { postRoutes } from '../status-pages/posts/routes.ts'
import { postTemplateRoutes } from '../status-pages/posts/template-routes.ts'
import { postUpdateRoutes } from '../status-pages/posts/update-routes.ts'
import { statusPageRoutes } from '../status-pages/routes.ts'
import { createStatusPageFastPath } from '../status-pages/serve/fast-path.ts'
import { notePageChanges, statusPagePublicRoutes } from '../status-pages/serve/routes.ts'
import { collectRoutes, createEventFastPath } from '../traffic/collect/routes.ts'
import { createEventIntake } from '../traffic/collect/steps.ts'
import { trackerRoutes } from '../traffic/collect/tracker-routes.ts'
import { sampleDataRoutes } from '../traffic/demo/routes.ts'
import { arrivalRoutes } from '../traffic/dropped/arrival-routes.ts'
import { droppedRoutes } from '../traffic/dropped/routes.ts'
import { exclusionRoutes } from '../traffic/exclusions/routes.ts'
import { unsubscribeRoutes } from '../traffic/reports/unsubscribe-routes.ts'
import { statisticsRoutes } from '../traffic/stats/routes.ts'
import { unlockRoutes } from '../traffic/stats/unlock-routes.ts'
import { crawlerRoutes } from '../web/crawler-routes.ts'
import { webFileRoutes } from '../web/file-routes.ts'
import { webPageRoutes } from '../web/page-routes.ts'
import { createShellSender } from '../web/send-shell.ts'
import { websitePageRoutes } from '../web/website-page-routes.ts'
import { websiteRoutes } from '../websites/routes.ts'
import type { Services } from './services.ts'

/** Problems that don't prevent this node from serving requests, one sentence each. */
function listDegradedReasons({ checkService, cluster, databaseClock }: Services): string[] {
  return [
    ...checkService.degradedReasons,
    ...cluster.degradedReasons,
    ...(databaseClock.problem === undefined ? [] : [databaseClock.problem]),
  ]
}

/** How long a client can take to send a request. */
const REQUEST_TIMEOUT_MS = 60_000
/** How many times Node looks for slow requests within the request timeout. */
const TIMEOUT_CHECKS = 6

export async function createApp(
  services: Services,
  { requestTimeoutMs = REQUEST_TIMEOUT_MS }: { requestTimeoutMs?: number } = {},
): Promise<App> {
  const { config, log } = services
  const prefix = urlPrefixOf(config)
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Our log lines already contain the request id, so requests need no child logger, which is expensive to create.
    childLoggerFactory: (logger) => logger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: [...config.trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    rewriteUrl: ({ url = '/' }: IncomingMessage) => stripPrefix(prefix, toOriginForm(url)),
    // The longest path parameter is a domain with `www.`.
    routerOptions: { maxParamLength: MAX_DOMAIN_LENGTH + 4 },
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / TIMEOUT_CHECKS),
      // Node's response to a missing Host header would not be a problem response. `enforceRequestRules` sends one.
      requireHostHeader: false,
    },
    // Longer than the minute after which nginx and most load balancers close an idle connection. If this server closed it first, a
    // request could be on its way.
    keepAliveTimeout: 75_000,
    // A stopping server still serves the requests that reach it. `GracefulClose` closes the connections.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendProblem(toProblem(error), request, reply)
      // Fastify doesn't run the hooks that would log these responses.
      logResponse(services, 'info', request, { route: 'unknown', status: reply.statusCode, ms: 0 })
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(compileValidator)
  // JSON.stringify is faster than a serializer that Fastify compiles from the response schema. It doesn't check that responses
  // match their schemas, but the tests do.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value))
  app.decorateRequest('caller', undefined)
  app.decorateRequest('refusal', undefined)
  app.addHook('onRoute', ({ method, url, config: route }) => {
    if (route?.access === undefined) throw new Error(`${method} ${url} has no access rule`)
    if (!isReservedPath(url)) throw new Error(`${url} is missing in reserved-paths.ts, so a path prefix could hide it`)
  })

  addResponseHeaders(app, services)
  logRequests(app, services)
  enforceRequestRules(app)
  if (prefix !== '') redirectToPrefix(app, prefix)
  // At unknown paths, browsers get errors as a page. Routes that serve pages handle this themselves.
  handleErrors(app, (problem, request, reply) =>
    (request.is404 ? sendProblemPage : sendProblem)(problem, request, reply),
  )
  const sendShell = createShellSender(services)
  const { listAllowedMethods, rejectShadowedMethods } = handleUnknownPaths(
    app,
    config.roles.has('web') ? (request, reply) => sendShell(request, reply, { status: 404 }) : undefined,
  )
  rejectInvalidRequests(app.server, {
    ...services,
    listAllowedMethods: (url) => listAllowedMethods(stripPrefix(prefix, url)),
  })
  services.stalledConnections.watch(app.server)
  addBodyParsers(app)
  addAuthentication(app, services)
  describeApi(app, config)

  const eventIntake = createEventIntake(services)
  await app.register(async (routes) => {
    const typedRoutes = routes.withTypeProvider<TypeBoxTypeProvider>()
    healthRoutes(typedRoutes, services, {
      findUnreadyReason: () => services.state.unreadyReason,
      listDegradedReasons: () => listDegradedReasons(services),
    })
    if (!config.roles.has('web')) return
    notePageChanges(typedRoutes, services)
    docsRoutes(typedRoutes)
    setupPageRoutes(typedRoutes, services)
    sessionRoutes(typedRoutes, services)
    accountRoutes(typedRoutes, services)
    keyRoutes(typedRoutes, services)
    overviewRoutes(typedRoutes, services)
    liveRoutes(typedRoutes, services)
    websiteRoutes(typedRoutes, services)
    faviconRoutes(typedRoutes, services)
    droppedRoutes(typedRoutes, services)
    arrivalRoutes(typedRoutes, services)
    sampleDataRoutes(typedRoutes, services)
    exclusionRoutes(typedRoutes, services)
    unlockRoutes(typedRoutes, services)
    monitorRoutes(typedRoutes, services)
    checkRoutes(typedRoutes, services)
    heartbeatRoutes(typedRoutes, services)
    incidentRoutes(typedRoutes, services)
    maintenanceRoutes(typedRoutes, services)
    statusPageRoutes(typedRoutes, services)
    postRoutes(typedRoutes, services)
    postUpdateRoutes(typedRoutes, services)
    postTemplateRoutes(typedRoutes, services)
    resultRoutes(typedRoutes, services)
    providerRoutes(typedRoutes, services)
    assignmentRoutes(typedRoutes, services)
    alertRoutes(typedRoutes, services)
    statusPagePublicRoutes(typedRoutes, services)
    collectRoutes(typedRoutes, eventIntake)
    statisticsRoutes(typedRoutes, services)
    unsubscribeRoutes(typedRoutes, services)
    trackerRoutes(typedRoutes)
    crawlerRoutes(typedRoutes, services)
    webFileRoutes(typedRoutes, services)
    webPageRoutes(typedRoutes, services, sendShell)
    websitePageRoutes(typedRoutes, services, sendShell)
    rejectShadowedMethods(routes)
  })
  await app.ready()
  if (config.roles.has('web')) {
    addFastPath(app.server, createEventFastPath(eventIntake), services)
    addFastPath(app.server, createBeatFastPath(services.beatReceiver), services)
    addFastPath(app.server, createStatusPageFastPath(services), services)
  }
  return app
}
