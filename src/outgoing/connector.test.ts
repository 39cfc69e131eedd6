/** Tests the guard as undici's Agent uses it, with real servers. */
import type { Socket } from 'node:net'
import { Agent, type buildConnector, fetch, interceptors, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveHttp, serveHttps, testCertificate, toIpv4Addresses } from '../../tests/support/loopback-servers.ts'
import { type ConnectorOptions, createConnector } from './connector.ts'
import { Guard, type ResolveHost } from './guard.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'
import { RefusedAddress } from './refused-address.ts'

const allowAll = parsePrivateTargets('allow')
const allowOneAddress = parsePrivateTargets('127.0.0.2/32')

function createAgent(guard: Guard, options?: ConnectorOptions): Agent {
  const agent = new Agent({ connect: createConnector(guard, options) })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Calls the connector without a URL parser in between, as callers other than undici could. */
function dial(guard: Guard, target: Partial<buildConnector.Options>): Promise<Socket> {
  return new Promise((resolve, reject) =>
    createConnector(guard)({ hostname: '', protocol: 'http:', port: '80', ...target }, (error, socket) => {
      socket?.destroy()
      if (error) reject(error)
      else resolve(socket as Socket)
    }),
  )
}

const loopbackHosts = [
  '127.0.0.1',
  '0x7f.1',
  '2130706433',
  '0177.0.0.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '0',
  'localhost',
]

describe('a request', () => {
  it.each([...loopbackHosts, '[::ffff:7f00:1]', '[::1]', '[::]', '0.0.0.0', 'LOCALHOST'])(
    'does not reach this machine by %s',
    async (host) => {
      const { port, contactedAddresses } = await serveHttp()
      const refusedRequest = request(`http://${host}:${port}/`, {
        dispatcher: createAgent(new Guard(NO_PRIVATE_TARGETS)),
      })
      await expect(refusedRequest).rejects.toThrow(RefusedAddress)
      expect(contactedAddresses).toEqual([])
    },
  )

  it.each(loopbackHosts)('reaches the server by %s when allowed', async (host) => {
    const { port, contactedAddresses } = await serveHttp()
    const { statusCode } = await request(`http://${host}:${port}/`, { dispatcher: createAgent(new Guard(allowAll)) })
    expect(statusCode).toBe(200)
    expect(contactedAddresses).toHaveLength(1)
  })

  it('does not reach this machine by `localhost.`, whether or not the system resolves that name', async () => {
    const { port, contactedAddresses } = await serveHttp()
    await expect(
      request(`http://localhost.:${port}/`, { dispatcher: createAgent(new Guard(NO_PRIVATE_TARGETS)) }),
    ).rejects.toThrow()
    expect(contactedAddresses).toEqual([])
  })

  it('made with fetch fails with the refusal as its cause', async () => {
    const { port } = await serveHttp()
    const refusedRequest = fetch(`https://127.0.0.1:${port}/`, {
      dispatcher: createAgent(new Guard(NO_PRIVATE_TARGETS)),
    })
    await expect(refusedRequest).rejects.toMatchObject({ cause: new RefusedAddress('127.0.0.1', 'a loopback address') })
  })

  it('connects only to the vetted addresses of a name', async () => {
    const { port, contactedAddresses } = await serveHttp()
    const guard = new Guard(allowOneAddress, {
      resolve: async () => toIpv4Addresses('10.0.0.1', '127.0.0.1', '127.0.0.2'),
    })
    await request(`http://mixed.test:${port}/`, { dispatcher: createAgent(guard) })
    expect(contactedAddresses).toEqual(['127.0.0.2'])
  })

  it('skips a dead address', async () => {
    const { port, contactedAddresses } = await serveHttp(undefined, '127.0.0.2')
    const resolve: ResolveHost = async () => [
      { address: '::1', family: 6 },
      ...toIpv4Addresses('127.0.0.3', '127.0.0.2'),
    ]
    await request(`http://half-dead.test:${port}/`, { dispatcher: createAgent(new Guard(allowAll, { resolve })) })
    expect(contactedAddresses).toEqual(['127.0.0.2'])
  })

  it('connects to the vetted address even if the name changes, and vets again next time', async () => {
    const { port, contactedAddresses } = await serveHttp()
    const lookedUpHosts: string[] = []
    const resolve: ResolveHost = async (host) =>
      toIpv4Addresses(lookedUpHosts.push(host) === 1 ? '127.0.0.2' : '127.0.0.1')
    const guard = new Guard(allowOneAddress, { resolve })
    await request(`http://rebind.test:${port}/`, { dispatcher: createAgent(guard) })
    expect({ lookedUpHosts, contactedAddresses }).toEqual({
      lookedUpHosts: ['rebind.test'],
      contactedAddresses: ['127.0.0.2'],
    })

    const secondRequest = request(`http://rebind.test:${port}/`, { dispatcher: createAgent(guard) })
    await expect(secondRequest).rejects.toThrow(new RefusedAddress('rebind.test', 'a loopback address'))
    expect({ lookups: lookedUpHosts.length, contactedAddresses }).toEqual({
      lookups: 2,
      contactedAddresses: ['127.0.0.2'],
    })
  })

  it('is vetted again at every redirect', async () => {
    const redirectTarget = await serveHttp()
    const redirectingServer = await serveHttp((incoming, response) => {
      response.writeHead(302, { location: decodeURIComponent(incoming.url?.slice(1) ?? '') }).end()
    })
    const requestRedirectTo = (to: string) =>
      request(`http://127.0.0.2:${redirectingServer.port}/${encodeURIComponent(to)}`, {
        dispatcher: createAgent(new Guard(allowOneAddress)).compose(interceptors.redirect({ maxRedirections: 3 })),
      })

    for (const host of ['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', '0x7f000001', '[::ffff:7f00:1]'])
      for (const port of [redirectTarget.port, redirectingServer.port])
        await expect(requestRedirectTo(`http://${host}:${port}/secret`)).rejects.toThrow(RefusedAddress)
    expect(redirectTarget.contactedAddresses).toEqual([])
    expect(new Set(redirectingServer.contactedAddresses)).toEqual(new Set(['127.0.0.2']))

    const { statusCode } = await requestRedirectTo(`http://127.0.0.2:${redirectTarget.port}/`)
    expect(statusCode).toBe(200)
  })

  it('over TLS verifies the certificate for the name', async () => {
    const { port, contactedAddresses } = await serveHttps()
    const guard = new Guard(allowOneAddress, { resolve: async () => toIpv4Addresses('127.0.0.1', '127.0.0.2') })
    const dispatcher = createAgent(guard, { tls: { ca: testCertificate } })
    const { body } = await request(`https://belfry.test:${port}/`, { dispatcher })
    expect(await body.text()).toBe('hello')
    expect(contactedAddresses).toEqual(['127.0.0.2'])
  })
})

describe('a connection', () => {
  it.each([...loopbackHosts, '::1', '[::1]', '::ffff:127.0.0.1', '::', '0.0.0.0', '0x7f000001', '017700000001', ''])(
    'is refused to the raw host "%s"',
    async (hostname) => {
      const { port, contactedAddresses } = await serveHttp()
      for (const protocol of ['http:', 'https:'])
        await expect(
          dial(new Guard(NO_PRIVATE_TARGETS), { hostname, host: hostname || 'x', protocol, port: String(port) }),
        ).rejects.toThrow(RefusedAddress)
      expect(contactedAddresses).toEqual([])
    },
  )

  it('that the system makes to another address is closed before anything is sent', async () => {
    const requestedPaths: string[] = []
    const { port } = await serveHttp((incoming, response) => {
      requestedPaths.push(incoming.url ?? '')
      response.end()
    })
    // The guard allows 0.0.0.0, but the system then connects to 127.0.0.1, which the guard doesn't allow.
    const guard = new Guard(parsePrivateTargets('0.0.0.0'))
    await expect(request(`http://0.0.0.0:${port}/`, { dispatcher: createAgent(guard) })).rejects.toThrow(
      new RefusedAddress('0.0.0.0', 'a loopback address'),
    )
    expect(requestedPaths).toEqual([])
  })
})
