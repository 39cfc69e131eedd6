/** A probe that may go everywhere and trusts our own authority, and servers for it to look at. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createSecureContext } from 'node:tls'
import { onTestFinished } from 'vitest'
import { type HttpProbeOptions, httpProbe } from '../../src/checker/probes/http.ts'
import type { Finding } from '../../src/checker/probes/probe.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type HttpSettings, plainHttp } from '../../src/monitors/http-schema.ts'
import { Guard, type Resolve } from '../../src/outgoing/guard.ts'
import { parsePrivateTargets } from '../../src/outgoing/private-targets.ts'
import { authority, key } from './certificates.ts'

export const everywhere = (resolve?: Resolve) => new Guard(parsePrivateTargets('allow'), resolve && { resolve })

export interface Asking extends Partial<HttpSettings> {
  timeoutMs?: number
}

export type Check = (url: string, asking?: Asking) => Promise<Finding>

/** Whatever cannot be done at all fails the test. */
export function checkWith(options: Partial<HttpProbeOptions> = {}): Check {
  const secureContext = createSecureContext({ ca: authority })
  const probe = httpProbe({ guard: everywhere(), clock: systemClock, secureContext, ...options })
  onTestFinished(() => probe.close())
  return async (url, { timeoutMs = 10_000, ...settings } = {}) => {
    const finding = await probe.check({ type: 'http', url, timeoutMs, http: { ...plainHttp, ...settings } })
    if (!('answered' in finding)) throw new Error(JSON.stringify(finding))
    return finding
  }
}

export async function serveHttps(
  cert: string,
  answer: RequestListener = (_, response) => response.end('hello'),
  ownKey = key,
): Promise<{ port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer({ key: ownKey, cert }, answer)
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

/** The other side let go of it. */
export async function isClosed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined) throw new Error('there was no connection')
  if (!socket.closed) await new Promise((resolve) => socket.resume().once('close', resolve))
}
