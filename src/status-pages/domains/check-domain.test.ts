import type { RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import {
  findClosedPort,
  serveHttp,
  serveHttps,
  testCertificate,
  toIpv4Addresses,
} from '../../../tests/support/loopback-servers.ts'
import { Secret } from '../../lib/secret.ts'
import { checkDomain, type DomainCheckDeps } from './check-domain.ts'
import { createDomainToken, DOMAIN_TOKEN_PATH } from './token.ts'

/** The test certificate is valid for this name. */
const domain = 'belfry.test'
const secret = new Secret('a secret that is only good for tests')
const loopback = { allowsAll: false, ranges: ['127.0.0.0/8'] }

const belfry: RequestListener = ({ url, headers }, response) => {
  if (url === DOMAIN_TOKEN_PATH) response.end(createDomainToken(secret, headers.host ?? ''))
  else response.writeHead(404).end()
}
const otherServer: RequestListener = (_request, response) => void response.writeHead(404).end('<h1>nginx</h1>')

const listenHttp = async (answer: RequestListener) => `http://${domain}:${(await serveHttp(answer)).port}`
const listenHttps = async (answer: RequestListener) => `https://${domain}:${(await serveHttps(answer)).port}`

const closedOrigin = async (scheme: string) => `${scheme}://${domain}:${await findClosedPort()}`

async function check(origins: { https?: string; http?: string }, deps: Partial<DomainCheckDeps> = {}) {
  const { https = await closedOrigin('https'), http = await closedOrigin('http') } = origins
  return checkDomain(domain, {
    secret,
    privateTargets: loopback,
    ownHost: 'stats.example.com',
    resolve: async () => toIpv4Addresses('127.0.0.1'),
    originsOf: () => ({ https, http }),
    tls: { ca: testCertificate },
    ...deps,
  })
}

describe('checkDomain', () => {
  it('finds this server by https, and accepts that http redirects to it', async () => {
    const https = await listenHttps(belfry)
    const http = await listenHttp((request, response) =>
      response.writeHead(308, { location: `${https}${request.url}` }).end(),
    )
    expect(await check({ https, http })).toEqual({
      domain,
      addresses: ['127.0.0.1'],
      https: { ok: true, problem: null },
      http: { ok: true, problem: null },
      points_here: true,
      hint: 'belfry.test shows your status page.',
    })
  })

  it('says how to create a missing DNS record', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' })
    }
    expect(await check({}, { resolve })).toEqual({
      domain,
      addresses: [],
      https: { ok: false, problem: 'No such host.' },
      http: { ok: false, problem: 'No such host.' },
      points_here: false,
      hint: 'No such host. If belfry.test has no DNS record yet, create a CNAME record that points to stats.example.com, or A and AAAA records with the addresses of this server. It can take an hour until a new record is visible everywhere.',
    })
  })

  it('contacts no private address, and does not reveal it', async () => {
    const requestedPaths: string[] = []
    const http = await listenHttp((request, response) => {
      requestedPaths.push(request.url ?? '')
      response.end()
    })
    const result = await check({ http }, { privateTargets: { allowsAll: false, ranges: [] } })
    expect(result).toMatchObject({
      addresses: [],
      points_here: false,
      hint: expect.stringContaining('BELFRY_PRIVATE_TARGETS'),
    })
    expect(JSON.stringify(result)).not.toContain('127.0.0.1')
    expect(requestedPaths).toEqual([])
  })

  it('reports that nothing answers', async () => {
    expect(await check({})).toMatchObject({
      https: { ok: false, problem: 'Connection refused.' },
      points_here: false,
      hint: expect.stringMatching(/^Nothing answers at 127\.0\.0\.1\. Check/),
    })
  })

  it('reports that another server answers', async () => {
    const origins = { https: await listenHttps(otherServer), http: await listenHttp(otherServer) }
    expect(await check(origins)).toMatchObject({
      http: { ok: false, problem: 'Another server answers, with status 404.' },
      points_here: false,
      hint: 'Another server answers at 127.0.0.1. Change the DNS record of belfry.test to the addresses of stats.example.com, and add belfry.test to the configuration of the proxy.',
    })
  })

  it('reports that the proxy replaces the Host header', async () => {
    const http = await listenHttp((_request, response) => response.end(createDomainToken(secret, '127.0.0.1:3000')))
    expect(await check({ http })).toMatchObject({
      http: { ok: false, problem: 'Belfry answers, but a proxy replaced the Host header with 127.0.0.1.' },
      points_here: false,
      hint: expect.stringContaining('pass the Host header on'),
    })
  })

  it('reports that only the certificate is wrong', async () => {
    const origins = { https: await listenHttps(belfry), http: await listenHttp(belfry) }
    expect(await check(origins, { tls: {} })).toMatchObject({
      https: { ok: false, problem: 'The certificate is self-signed.' },
      http: { ok: true, problem: null },
      points_here: true,
      hint: 'belfry.test points to this server, but its certificate is not valid. Configure the proxy to get a certificate for belfry.test.',
    })
  })

  it('follows no redirect, and believes neither the token of another Belfry nor a long response', async () => {
    const target: string[] = []
    const redirectTarget = await listenHttp((request, response) => {
      target.push(request.url ?? '')
      response.end(createDomainToken(secret, domain))
    })
    const redirectingOrigin = await listenHttp((_request, response) =>
      response.writeHead(302, { location: redirectTarget }).end(),
    )
    expect(await check({ http: redirectingOrigin })).toMatchObject({
      http: { ok: false, problem: expect.stringContaining('The domain redirects to http://belfry.test:') },
      points_here: false,
    })
    expect(target).toEqual([])
    const otherOrigin = await listenHttp((_request, response) =>
      response.end(createDomainToken(new Secret('another secret of another server'), domain)),
    )
    expect(await check({ http: otherOrigin })).toMatchObject({ http: { ok: false }, points_here: false })
    const longResponseOrigin = await listenHttp((_request, response) =>
      response.end(`${createDomainToken(secret, domain)}${' '.repeat(5_000_000)}`),
    )
    expect(await check({ http: longResponseOrigin })).toMatchObject({ http: { ok: false }, points_here: false })
  })
})
