/** An HTTP probe that may connect to any address and trusts the test authority, and HTTPS servers as its targets. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { onTestFinished } from 'vitest'
import { type HttpProbeOptions, openHttpProbe } from '../../src/checker/probes/http/probe.ts'
import type { ProbeResult } from '../../src/checker/probes/probe.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { defaultHttpSettings, type HttpSettings } from '../../src/monitors/http-schema.ts'
import { Guard, type ResolveHost } from '../../src/outgoing/guard.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { authorityCertificate, serverPrivateKey } from './certificates.ts'

export const createPermissiveGuard = (resolve?: ResolveHost) =>
  new Guard(parsePrivateTargets('allow'), resolve && { resolve })

export interface CheckSettings extends Partial<HttpSettings> {
  timeoutMs?: number
}

export type Check = (url: string, settings?: CheckSettings) => Promise<ProbeResult>

/** Returns a function that checks a URL. The function throws if the check is inconclusive. */
export function createCheck(options: Partial<HttpProbeOptions> = {}): Check {
  const secureContext = createSecureContext({ ca: authorityCertificate })
  const probe = openHttpProbe({ guard: createPermissiveGuard(), clock: systemClock, secureContext, ...options })
  onTestFinished(() => probe.close())
  return async (url, { timeoutMs = 10_000, ...settings } = {}) => {
    const http = { ...defaultHttpSettings, ...settings }
    const result = await probe.check({ type: 'http', url, teamId: 1, timeoutMs, http })
    if (!('responded' in result)) throw new Error(JSON.stringify(result))
    return result
  }
}

export async function serveHttps(
  cert: string,
  onRequest: RequestListener = (_, response) => response.end('hello'),
  privateKey = serverPrivateKey,
): Promise<{ port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer({ key: privateKey, cert }, onRequest)
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0)
  await once(server, 'listening')
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { port: (server.address() as AddressInfo).port }
}

/** Resolves when the probe has closed the connection. */
export async function untilClosed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined) throw new Error('there was no connection')
  if (!socket.closed) await new Promise((resolve) => socket.resume().once('close', resolve))
}

/** Resolves with the code of the error that ends the connection. Only for connections that end with an error. */
export async function untilReset(socket: Socket | undefined): Promise<string | undefined> {
  if (socket === undefined) throw new Error('there was no connection')
  const [error] = await once(socket.resume(), 'error')
  return (error as NodeJS.ErrnoException).code
}
