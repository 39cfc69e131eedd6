/** Creates Fastify with the settings of all our HTTP servers, without any route. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/config.ts'
import { isReservedPath } from '../config/reserved-paths.ts'
import type { App } from '../http/app-type.ts'
import { MAX_BODY_BYTES } from '../http/body-parser.ts'
import { sendProblem, toProblem } from '../http/errors.ts'
import { logResponse } from '../http/request-log.ts'
import { toOriginForm } from '../http/request-rules.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { stripPrefix, urlPrefixOf } from '../http/url-prefix.ts'
import { compileValidator } from '../http/validator-compiler.ts'
import { stripProofPrefix } from '../server-settings/installation-proof.ts'
import { MAX_DOMAIN_LENGTH } from '../shared/websites.ts'
import { resolveClientIp, toProxySettings } from '../traffic/collect/ip/client.ts'

/** How long a client can take to send a request. */
export const REQUEST_TIMEOUT_MS = 60_000
/** How many times Node looks for slow requests within the request timeout. */
const TIMEOUT_CHECKS = 6

export function createFastify(
  deps: Pick<RouteDeps, 'config' | 'log' | 'metrics'>,
  { requestTimeoutMs }: { requestTimeoutMs: number },
): App {
  const { config, log } = deps
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // Our log lines already contain the request id, so requests need no child logger, which is expensive to create.
    childLoggerFactory: (logger) => logger,
    logController: new Fastify.LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: [...config.trustedProxies],
    bodyLimit: MAX_BODY_BYTES,
    rewriteUrl: ({ url = '/' }: IncomingMessage) =>
      stripProofPrefix(stripPrefix(urlPrefixOf(config), toOriginForm(url))),
    // The longest path parameter is a domain with `www.`.
    routerOptions: { maxParamLength: MAX_DOMAIN_LENGTH + 4 },
    requestTimeout: requestTimeoutMs,
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.ceil(requestTimeoutMs / TIMEOUT_CHECKS),
      // Node itself would reject a request without a Host header, but not in the format of our errors.
      // `enforceRequestRules` rejects it instead.
      requireHostHeader: false,
    },
    // This time is longer than the minute after which nginx and most load balancers close an idle connection. If this
    // server closed the connection first, a request on its way would fail.
    keepAliveTimeout: 75_000,
    // A stopping server still serves the requests that reach it. `GracefulClose` closes the connections.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendProblem(toProblem(error), request, reply)
      // Fastify runs no hooks for its own errors, so the hook that logs other responses doesn't log this one.
      logResponse(deps, 'info', request, { route: 'unknown', status: reply.statusCode, ms: 0 })
    },
  }).withTypeProvider<TypeBoxTypeProvider>()

  // Reading the address makes Node keep it. Later, the connection may be closed, and Node can no longer read its address.
  app.server.on('connection', ({ remoteAddress }) => remoteAddress)
  addClientAddressHook(app, config)
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
  return app
}

/**
 * Fastify reads addresses only from X-Forwarded-For, and takes any text there for an address. So this hook replaces that header with the
 * address that was found in the one that BELFRY_CLIENT_ADDRESS_HEADER names.
 */
function addClientAddressHook(app: App, config: Config): void {
  const proxySettings = toProxySettings(config)
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { headers } = raw
    if (headers['x-forwarded-for'] === undefined && headers[proxySettings.clientAddressHeader] === undefined)
      return done()
    const clientIp = resolveClientIp(raw, proxySettings)
    // The address is unknown if the connection is already closed.
    if (clientIp === '') delete headers['x-forwarded-for']
    else headers['x-forwarded-for'] = clientIp
    done()
  })
}
