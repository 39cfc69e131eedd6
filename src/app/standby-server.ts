/**
 * Serves status pages while the server waits for its database at start. It knows only the copies in the data folder. All other requests
 * get 503, like those to a server whose database is unavailable.
 */
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { withSavedSettings } from '../config/saved-settings.ts'
import { healthCheck } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { addBodyParsers } from '../http/body-parser.ts'
import { handleErrors } from '../http/errors.ts'
import { addFastPath } from '../http/fast-path.ts'
import { GracefulClose } from '../http/graceful-close.ts'
import { sendProblemPage } from '../http/html-page.ts'
import { logRequests } from '../http/request-log.ts'
import { enforceRequestRules } from '../http/request-rules.ts'
import { addResponseHeaders } from '../http/response-headers.ts'
import type { Clock } from '../lib/clock.ts'
import { unavailable } from '../lib/problem.ts'
import { loadSecret } from '../lib/secret.ts'
import { WindowCounter } from '../lib/window-counter.ts'
import { readSettingsCopy } from '../server-settings/settings-copy.ts'
import { CustomDomains } from '../status-pages/domains/custom-domains.ts'
import { addHostRouting } from '../status-pages/domains/host-routes.ts'
import type { StatusPageCopies } from '../status-pages/serve/copies.ts'
import { hideApplicationAtDomains } from '../status-pages/serve/domain-routes.ts'
import { createStatusPageFastPath } from '../status-pages/serve/fast-path-routes.ts'
import { statusPagePublicRoutes } from '../status-pages/serve/routes.ts'
import { createFastify, REQUEST_TIMEOUT_MS } from './create-fastify.ts'
import { listen } from './listen.ts'
import { noMetrics } from './metrics.ts'

interface Deps {
  config: Config
  clock: Clock
  log: Logger
  statusPageCopies: StatusPageCopies
}

export class StandbyServer {
  readonly #deps: Deps
  #app: App | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Does nothing if it has started already. */
  async start(): Promise<void> {
    if (this.#app !== undefined) return
    const { config, log } = this.#deps
    this.#app = await createStandbyApp(this.#deps)
    // After `handOver`, another server accepts new connections. Every response closes its connection, so that the
    // client's next request reaches that server.
    new GracefulClose(this.#app.server).startDraining()
    await listen(this.#app, config)
    log.warn({}, 'the database is unavailable: serving copies of status pages until it is up')
  }

  /** Makes another server accept the connections. The port stays open all the time. Returns whether this server was listening. */
  async handOver(server: Server): Promise<boolean> {
    if (this.#app === undefined) return false
    // From now on, the listening socket belongs to the other server, which also closes it.
    server.listen(this.#app.server)
    await once(server, 'listening')
    this.#app = undefined
    return true
  }

  async stop(): Promise<void> {
    this.#app?.server.closeAllConnections()
    await this.#app?.close()
  }
}

async function createStandbyApp({ clock, config: environmentConfig, statusPageCopies, ...deps }: Deps): Promise<App> {
  const { url, signInOrigin } = readSettingsCopy(environmentConfig.dataDir)
  // Nothing is sent without the database, so the mail server is not needed.
  const savedSettings = { ...(url !== undefined && { url }), ...(signInOrigin !== undefined && { signInOrigin }) }
  const config = withSavedSettings(environmentConfig, () => savedSettings)
  const services = {
    ...deps,
    config,
    clock,
    statusPageCopies,
    db: undefined,
    metrics: noMetrics,
    secret: await loadSecret(config),
    counter: new WindowCounter(clock),
    customDomains: new CustomDomains((domain) => statusPageCopies.findSlugByDomain(domain)),
  }
  const app = createFastify(services, { requestTimeoutMs: REQUEST_TIMEOUT_MS })
  addResponseHeaders(app, services)
  logRequests(app, services)
  enforceRequestRules(app)
  handleErrors(app, sendProblemPage)
  addBodyParsers(app)
  hideApplicationAtDomains(app)
  app.addHook('onRequest', (request, _reply, done) => {
    done(request.is404 ? unavailable('The database is unavailable.') : undefined)
  })
  app.get('/healthz', { config: { access: healthCheck }, schema: { hide: true } }, () => ({ status: 'ok' }))
  statusPagePublicRoutes(app, services)
  await app.ready()
  const [fastifyListener] = app.server.listeners('request') as [RequestListener]
  addFastPath(app.server, createStatusPageFastPath(services, { canFindOwner: false }), services)
  addHostRouting(app.server, services, fastifyListener)
  return app
}
