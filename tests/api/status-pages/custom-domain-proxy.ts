/** Tests of custom domains behind a reverse proxy. They share the servers of `custom-domain.test.ts`. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendRequest } from '../../support/send-request.ts'
import type { TestServer } from '../../support/server.ts'
import {
  type CustomDomainFixture,
  domain,
  expectNotFoundPage,
  TRUSTED_PROXY,
  UNTRUSTED_PROXY,
} from './custom-domain-support.ts'

export function describeReverseProxies(getFixture: () => CustomDomainFixture): void {
  describe('a custom domain behind a reverse proxy', () => {
    let server: TestServer
    let visit: CustomDomainFixture['visit']
    beforeAll(() => {
      ;({ server, visit } = getFixture())
    })

    /** Forwards requests with `Host: belfry.internal`, like a proxy that names the public host only in X-Forwarded-Host. */
    async function startProxy(localAddress: string, forwardedHost: 'replace' | 'pass'): Promise<string> {
      const { hostname, port } = new URL(server.address)
      const proxy = createServer((incoming, outgoing) => {
        const { host = '', ...rest } = incoming.headers
        const headers =
          forwardedHost === 'replace'
            ? { ...rest, host: 'belfry.internal', 'x-forwarded-host': host, 'x-forwarded-proto': 'https' }
            : { ...rest, host, 'x-forwarded-proto': 'https' }
        const { method, url: path } = incoming
        const forwardedRequest = request({ hostname, port, method, path, headers, localAddress }, (response) => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers)
          response.pipe(outgoing)
        })
        incoming.pipe(forwardedRequest)
      })
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
      closeFunctions.push(() => {
        proxy.closeAllConnections()
        return new Promise((resolve) => proxy.close(resolve))
      })
      return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
    }

    const closeFunctions: (() => Promise<unknown>)[] = []
    afterAll(() => Promise.all(closeFunctions.map((close) => close())))

    const ask = (address: string, path: string, headers: Record<string, string> = {}) =>
      sendRequest(address + path, { method: 'GET', headers: { host: domain, accept: 'text/html', ...headers } })

    it('uses the host and protocol that a trusted proxy forwards', async () => {
      const address = await startProxy(TRUSTED_PROXY, 'replace')
      const page = await ask(address, '/')
      expect(page.text).toContain('Our shop')
      const notFound = await ask(address, '/sign-in')
      expectNotFoundPage(notFound)
      expect(notFound.headers.get('strict-transport-security')).toBe('max-age=31536000')
      expect((await visit('/sign-in')).headers.get('strict-transport-security')).toBeNull()
      expect((await ask(address, '/sign-in', { host: 'stats.example.com' })).text).toContain('assets/')
    })

    it('ignores the host that an untrusted proxy forwards', async () => {
      const address = await startProxy(UNTRUSTED_PROXY, 'replace')
      expect((await ask(address, '/sign-in')).text).toContain('assets/')
      expect((await ask(address, '/healthz')).status).toBe(200)
    })

    it('also works if the proxy is not trusted, but passes the Host header on', async () => {
      const address = await startProxy(UNTRUSTED_PROXY, 'pass')
      expect((await ask(address, '/')).text).toContain('Our shop')
      expectNotFoundPage(await ask(address, '/sign-in'))
    })

    it('ignores an X-Forwarded-Host header that a visitor sends and the proxy passes on', async () => {
      const address = await startProxy(TRUSTED_PROXY, 'pass')
      expectNotFoundPage(await ask(address, '/sign-in', { 'x-forwarded-host': 'stats.example.com' }))
    })
  })
}
