/** Builds the HTTP server from the HTTP core and every route file. */
import type { RequestListener } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { accountLinkRoutes } from '../account-links/routes.ts'
import { accountRoutes } from '../accounts/routes.ts'
import { sessionRoutes } from '../accounts/session-routes.ts'
import { setupPageRoutes } from '../accounts/setup-routes.ts'
import { alertRoutes } from '../alerts/routes.ts'
import { assignmentRoutes } from '../assignments/routes.ts'
import { auditRoutes } from '../audit/routes.ts'
import { channelRoutes } from '../channels/routes.ts'
import { checkRoutes } from '../checker/routes.ts'
import { faviconRoutes } from '../favicons/routes.ts'
import { createBeatFastPath, heartbeatRoutes } from '../heartbeats/routes.ts'
import type { App } from '../http/app-type.ts'
import { addAuthentication } from '../http/authentication.ts'
import { addBodyParsers } from '../http/body-parser.ts'
import { docsRoutes } from '../http/docs-routes.ts'
import { handleErrors, sendProblem } from '../http/errors.ts'
import { addFastPath } from '../http/fast-path.ts'
import { healthRoutes } from '../http/health-routes.ts'
import { sendProblemPage } from '../http/html-page.ts'
import { rejectInvalidRequests } from '../http/invalid-requests.ts'
import { registerOpenApi } from '../http/openapi.ts'
import { logRequests } from '../http/request-log.ts'
import { enforceRequestRules } from '../http/request-rules.ts'
import { countRequestsInProgress } from '../http/requests-in-progress.ts'
import { addResponseHeaders } from '../http/response-headers.ts'
import { handleUnknownPaths } from '../http/unknown-paths.ts'
import { redirectToPrefix, stripPrefix, urlPrefixOf } from '../http/url-prefix.ts'
import { silenceReplayRoutes } from '../impact/replay/routes.ts'
import { impactRoutes } from '../impact/routes.ts'
import { acknowledgeLinkRoutes } from '../incident-response/acknowledge-link-routes.ts'
import { incidentResponseRoutes } from '../incident-response/routes.ts'
import { incidentRoutes } from '../incidents/routes.ts'
import { keyRoutes } from '../keys/routes.ts'
import { liveRoutes } from '../live/routes.ts'
import { maintenanceRoutes } from '../maintenances/routes.ts'
import { monitorRoutes } from '../monitors/routes.ts'
import { moveRoutes } from '../moves/routes.ts'
import { serverProblemRoutes } from '../nodes/routes.ts'
import { OverviewReader } from '../overview/overview.ts'
import { overviewRoutes } from '../overview/routes.ts'
import { recipientRoutes } from '../recipients/routes.ts'
import { unsubscribeRoutes } from '../reports/unsubscribe-routes.ts'
import { resultRoutes } from '../results/routes.ts'
import { uptimeRoutes } from '../results/uptime-routes.ts'
import { serverSettingsRoutes } from '../server-settings/routes.ts'
import { passkeyRoutes } from '../sign-in/passkey-routes.ts'
import { securityRoutes } from '../sign-in/security-routes.ts'
import { sessionListRoutes } from '../sign-in/session-list-routes.ts'
import { signInRoutes } from '../sign-in/sign-in-routes.ts'
import { identityRoutes } from '../single-sign-on/account-routes.ts'
import { addProxySignIn } from '../single-sign-on/proxy-routes.ts'
import { singleSignOnRoutes } from '../single-sign-on/routes.ts'
import { singleSignOnSettingsRoutes } from '../single-sign-on/settings-routes.ts'
import { SingleSignOn } from '../single-sign-on/single-sign-on.ts'
import { statusPageDomainRoutes } from '../status-pages/check-domain-routes.ts'
import { addHostRouting } from '../status-pages/domains/host-routes.ts'
import { statusPageLogoRoutes } from '../status-pages/logo/routes.ts'
import { postRoutes } from '../status-pages/posts/routes.ts'
import { postTemplateRoutes } from '../status-pages/posts/template-routes.ts'
import { postUpdateRoutes } from '../status-pages/posts/update-routes.ts'
import { statusPagePreviewRoutes } from '../status-pages/preview/routes.ts'
import { statusPageRoutes } from '../status-pages/routes.ts'
import { isForCustomDomain, sendDomainNotFound, serveCustomDomains } from '../status-pages/serve/domain-routes.ts'
import { createStatusPageFastPath } from '../status-pages/serve/fast-path-routes.ts'
import { notePageChanges, statusPagePublicRoutes } from '../status-pages/serve/routes.ts'
import { subscriberLinkRoutes } from '../status-pages/subscribers/link-routes.ts'
import { subscriberRoutes } from '../status-pages/subscribers/routes.ts'
import { subscriptionRoutes } from '../status-pages/subscribers/subscription-routes.ts'
import { invitationRoutes } from '../teams/invitation-routes.ts'
import { memberRoutes } from '../teams/member-routes.ts'
import { teamRoutes } from '../teams/routes.ts'
import { collectRoutes, createEventFastPath } from '../traffic/collect/routes.ts'
import { trackerRoutes } from '../traffic/collect/tracker-routes.ts'
import { sampleDataRoutes } from '../traffic/demo/routes.ts'
import { arrivalRoutes } from '../traffic/dropped/arrival-routes.ts'
import { droppedRoutes } from '../traffic/dropped/routes.ts'
import { exclusionRoutes } from '../traffic/exclusions/routes.ts'
import { statisticsRoutes } from '../traffic/stats/routes.ts'
import { unlockRoutes } from '../traffic/stats/unlock-routes.ts'
import { crawlerRoutes } from '../web/crawler-routes.ts'
import { webFileRoutes } from '../web/file-routes.ts'
import { webPageRoutes } from '../web/page-routes.ts'
import { createShellSender } from '../web/send-shell.ts'
import { websitePageRoutes } from '../web/website-page-routes.ts'
import { websiteRoutes } from '../websites/routes.ts'
import { verifyRoutes } from '../websites/verify/routes.ts'
import { createFastify, REQUEST_TIMEOUT_MS } from './create-fastify.ts'
import { listDegradedReasons } from './degraded-reasons.ts'
import type { Services } from './services.ts'

export async function createApp(
  services: Services,
  { requestTimeoutMs = REQUEST_TIMEOUT_MS }: { requestTimeoutMs?: number } = {},
): Promise<App> {
  const { config } = services
  const app = createFastify(services, { requestTimeoutMs })
  addResponseHeaders(app, services)
  logRequests(app, services)
  countRequestsInProgress(app, services)
  enforceRequestRules(app)
  serveCustomDomains(app, services)
  redirectToPrefix(app, config)
  // At unknown paths, browsers get errors as a page. Routes that serve pages handle this themselves.
  handleErrors(app, (problem, request, reply) =>
    (request.is404 ? sendProblemPage : sendProblem)(problem, request, reply),
  )
  const sendShell = createShellSender(services)
  const { listAllowedMethods, rejectShadowedMethods } = handleUnknownPaths(
    app,
    config.roles.has('web')
      ? (request, reply) =>
          isForCustomDomain(request) ? sendDomainNotFound(request, reply) : sendShell(request, reply, { status: 404 })
      : undefined,
  )
  rejectInvalidRequests(app.server, {
    ...services,
    listAllowedMethods: (url) => listAllowedMethods(stripPrefix(urlPrefixOf(config), url)),
  })
  services.stalledConnections.watch(app.server)
  addBodyParsers(app)
  addAuthentication(app, services)
  addProxySignIn(app, services)
  registerOpenApi(app, config)

  await app.register(async (routes) => {
    const typedRoutes = routes.withTypeProvider<TypeBoxTypeProvider>()
    healthRoutes(typedRoutes, services, {
      findUnreadyReason: () => services.state.unreadyReason,
      listDegradedReasons: () => listDegradedReasons(services),
      findDatabaseProblem: () => (services.diskSpace.isFull ? services.diskSpace.problem : undefined),
    })
    if (!config.roles.has('web')) return
    notePageChanges(typedRoutes, services)
    docsRoutes(typedRoutes)
    setupPageRoutes(typedRoutes, services)
    signInRoutes(typedRoutes, services)
    sessionListRoutes(typedRoutes, services)
    const singleSignOn = new SingleSignOn(services)
    singleSignOnRoutes(typedRoutes, services, singleSignOn)
    identityRoutes(typedRoutes, services, singleSignOn)
    singleSignOnSettingsRoutes(typedRoutes, services, singleSignOn)
    sessionRoutes(typedRoutes, services, { findLogoutUrl: (caller) => singleSignOn.findLogoutUrl(caller) })
    accountRoutes(typedRoutes, services)
    securityRoutes(typedRoutes, services)
    passkeyRoutes(typedRoutes, services)
    teamRoutes(typedRoutes, services)
    memberRoutes(typedRoutes, services)
    moveRoutes(typedRoutes, services)
    auditRoutes(typedRoutes, services)
    invitationRoutes(typedRoutes, services)
    accountLinkRoutes(typedRoutes, services)
    serverProblemRoutes(typedRoutes, services)
    serverSettingsRoutes(typedRoutes, {
      ...services,
      isCustomDomain: (host) => services.customDomains.findSlug(host) !== undefined,
    })
    keyRoutes(typedRoutes, services)
    const overviewReader = new OverviewReader(services)
    overviewRoutes(typedRoutes, services, overviewReader)
    liveRoutes(typedRoutes, services)
    websiteRoutes(typedRoutes, services)
    verifyRoutes(typedRoutes, services)
    silenceReplayRoutes(typedRoutes, services)
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
    incidentResponseRoutes(typedRoutes, services)
    acknowledgeLinkRoutes(typedRoutes, services)
    impactRoutes(typedRoutes, services)
    maintenanceRoutes(typedRoutes, services)
    statusPageRoutes(typedRoutes, services)
    statusPagePreviewRoutes(typedRoutes, services)
    statusPageDomainRoutes(typedRoutes, services)
    statusPageLogoRoutes(typedRoutes, services)
    postRoutes(typedRoutes, services)
    postUpdateRoutes(typedRoutes, services)
    postTemplateRoutes(typedRoutes, services)
    resultRoutes(typedRoutes, services)
    uptimeRoutes(typedRoutes, services)
    channelRoutes(typedRoutes, services)
    assignmentRoutes(typedRoutes, services)
    alertRoutes(typedRoutes, services)
    subscriberRoutes(typedRoutes, services)
    subscriptionRoutes(typedRoutes, services)
    subscriberLinkRoutes(typedRoutes, services)
    statusPagePublicRoutes(typedRoutes, services)
    collectRoutes(typedRoutes, services.eventIntake)
    statisticsRoutes(typedRoutes, services)
    unsubscribeRoutes(typedRoutes, services)
    recipientRoutes(typedRoutes, services)
    trackerRoutes(typedRoutes)
    crawlerRoutes(typedRoutes, services)
    webFileRoutes(typedRoutes, services)
    webPageRoutes(typedRoutes, services, { overviewReader, sendShell })
    websitePageRoutes(typedRoutes, services, sendShell)
    rejectShadowedMethods(routes)
  })
  await app.ready()
  if (config.roles.has('web')) {
    const [fastifyListener] = app.server.listeners('request') as [RequestListener]
    addFastPath(app.server, createEventFastPath(services.eventIntake), services)
    addFastPath(app.server, createBeatFastPath(services.beatReceiver), services)
    addFastPath(app.server, createStatusPageFastPath(services), services)
    addHostRouting(app.server, services, fastifyListener)
  }
  return app
}
