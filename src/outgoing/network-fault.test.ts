import { createTransport } from 'nodemailer'
import { Agent, errors, fetch, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  findClosedPort,
  ipv4,
  serveHttp,
  serveTcp,
  serveTls,
  testCertificate,
} from '../../tests/support/loopback-servers.ts'
import { type ConnectorOptions, createConnector } from './connector.ts'
import { Guard } from './guard.ts'
import { findNetworkFault } from './network-fault.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'

const guard = new Guard(parsePrivateTargets('allow'))

function agentOf(options?: ConnectorOptions, by = guard): Agent {
  const agent = new Agent({ connect: createConnector(by, options) })
  onTestFinished(() => agent.destroy())
  return agent
}

/** The network fault of a promise that must reject. */
async function faultOf(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => expect.unreachable('it went well'),
    (reason: unknown) => reason,
  )
  return findNetworkFault(error)
}

const coded = (code: string, more = {}) => Object.assign(new Error(`${code} 10.0.0.1:80`), { code, ...more })

describe('a real fault', () => {
  it('is a refused connection, to undici, fetch and nodemailer', async () => {
    const port = await findClosedPort()
    const fault = { cause: 'connect', description: 'connection refused' }
    const dispatcher = agentOf()
    expect(await faultOf(request(`http://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    expect(await faultOf(fetch(`http://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    expect(await faultOf(createTransport({ host: '127.0.0.1', port }).verify())).toEqual(fault)
    const twice = new Guard(parsePrivateTargets('allow'), { resolve: async () => ipv4('127.0.0.1', '127.0.0.2') })
    expect(await faultOf(request(`http://twice.test:${port}/`, { dispatcher: agentOf({}, twice) }))).toEqual(fault)
  })

  it('is a name that does not resolve', async () => {
    expect(await faultOf(request('http://nothing.invalid/', { dispatcher: agentOf() }))).toMatchObject({ cause: 'dns' })
    expect(await faultOf(createTransport({ host: 'nothing.invalid' }).verify())).toMatchObject({ cause: 'dns' })
  })

  it('is a connection that was reset, or closed without a response', async () => {
    const resetting = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(await faultOf(request(`http://127.0.0.1:${resetting.port}/`, { dispatcher: agentOf() }))).toEqual({
      cause: 'connect',
      description: 'connection reset',
    })
    const closing = await serveTcp((socket) => socket.once('data', () => socket.end()))
    const closed = { cause: 'connect', description: 'the server closed the connection' }
    expect(await faultOf(request(`http://127.0.0.1:${closing.port}/`, { dispatcher: agentOf() }))).toEqual(closed)
    expect(await faultOf(request(`https://127.0.0.1:${closing.port}/`, { dispatcher: agentOf() }))).toEqual(closed)
    const silent = await serveTcp((socket) => socket.end())
    expect(await faultOf(createTransport({ host: '127.0.0.1', port: silent.port }).verify())).toEqual(closed)
  })

  it('is a response that takes too long', async () => {
    const { port } = await serveTcp(() => {})
    const fault = { cause: 'timeout', description: 'timed out' }
    const dispatcher = agentOf({ timeoutMs: 10 })
    expect(await faultOf(request(`https://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    const signal = AbortSignal.timeout(10)
    expect(await faultOf(request(`http://127.0.0.1:${port}/`, { dispatcher, signal }))).toEqual(fault)
    const transport = createTransport({ host: '127.0.0.1', port, greetingTimeout: 10 })
    expect(await faultOf(transport.verify())).toEqual(fault)
  })

  it('is a certificate that is self-signed or for another host', async () => {
    const { port } = await serveTls()
    const selfSigned = { cause: 'tls', description: 'the certificate is self-signed' }
    expect(await faultOf(request(`https://localhost:${port}/`, { dispatcher: agentOf() }))).toEqual(selfSigned)
    expect(await faultOf(createTransport({ host: '127.0.0.1', port, secure: true }).verify())).toEqual(selfSigned)
    const trusting = agentOf({ tls: { ca: testCertificate } })
    expect(await faultOf(request(`https://localhost:${port}/`, { dispatcher: trusting }))).toEqual({
      cause: 'tls',
      description: 'the certificate is for another host',
    })
  })

  it('is a server that speaks another protocol', async () => {
    const { port } = await serveHttp()
    expect(await faultOf(request(`https://127.0.0.1:${port}/`, { dispatcher: agentOf() }))).toEqual({
      cause: 'tls',
      description: 'the TLS handshake failed',
    })
    const ssh = await serveTcp((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    expect(await faultOf(request(`http://127.0.0.1:${ssh.port}/`, { dispatcher: agentOf() }))).toEqual({
      cause: 'connect',
      description: 'the response is not valid HTTP',
    })
  })

  it('is a blocked address, with our message', async () => {
    const fault = {
      cause: 'blocked',
      description:
        'localhost resolves to a loopback address. Belfry connects to it only if BELFRY_PRIVATE_TARGETS allows it',
    }
    const dispatcher = agentOf({}, new Guard(NO_PRIVATE_TARGETS))
    expect(await faultOf(request('http://localhost/', { dispatcher }))).toEqual(fault)
    expect(await faultOf(fetch('http://localhost/', { dispatcher }))).toEqual(fault)
  })
})

describe('an error', () => {
  it.each([
    ['dns', 'no such host', coded('ENOTFOUND', { syscall: 'getaddrinfo' })],
    ['dns', 'no such host', coded('EDNS', { originalCode: 'ENOTFOUND', syscall: 'queryA' })],
    ['dns', 'the host name could not be resolved', coded('EAI_AGAIN', { syscall: 'getaddrinfo' })],
    ['dns', 'the host name could not be resolved', coded('ECONNREFUSED', { syscall: 'queryA' })],
    ['dns', 'the host name could not be resolved', coded('EDNS')],
    ['connect', 'host unreachable', coded('EHOSTUNREACH', { syscall: 'connect' })],
    ['connect', 'host unreachable', coded('ENETUNREACH')],
    ['connect', 'connection reset', coded('ESOCKET', { originalCode: 'ECONNRESET', errno: -104 })],
    ['connect', 'the server closed the connection', coded('EPIPE')],
    ['connect', 'the server closed the connection', coded('ECONNECTION')],
    ['connect', 'the connection failed', coded('ESOCKET')],
    ['timeout', 'timed out', coded('ETIMEDOUT')],
    ['timeout', 'timed out', new errors.ConnectTimeoutError()],
    ['timeout', 'timed out', new errors.HeadersTimeoutError()],
    ['timeout', 'timed out', new errors.BodyTimeoutError()],
    ['tls', 'the certificate has expired', coded('CERT_HAS_EXPIRED')],
    ['tls', 'the certificate is not valid yet', coded('CERT_NOT_YET_VALID')],
    ['tls', 'the certificate is not trusted', coded('SELF_SIGNED_CERT_IN_CHAIN')],
    ['tls', 'the certificate is not trusted', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['tls', 'the certificate is not trusted', coded('ESOCKET', { originalCode: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' })],
    ['connect', 'the response is not valid HTTP', coded('HPE_INVALID_CONSTANT')],
    ['tls', 'the TLS handshake failed', coded('ETLS')],
    ['tls', 'the TLS handshake failed', coded('EPROTO', { syscall: 'write' })],
  ])('is of kind %s: %s', (cause, description, error) => {
    expect(findNetworkFault(error)).toEqual({ cause, description })
    expect(findNetworkFault(new Error('fetch failed', { cause: error }))).toEqual({ cause, description })
  })

  it('of several attempts is the most informative one', () => {
    const attempts = [coded('ENETUNREACH'), coded('ECONNREFUSED')]
    expect(findNetworkFault(Object.assign(new AggregateError(attempts), { code: 'ENETUNREACH' }))).toEqual({
      cause: 'connect',
      description: 'connection refused',
    })
    expect(findNetworkFault(new AggregateError([coded('ENETUNREACH'), coded('EHOSTUNREACH')]))).toEqual({
      cause: 'connect',
      description: 'host unreachable',
    })
  })

  it.each([
    new TypeError('x is not a function'),
    coded('EMFILE', { syscall: 'connect' }),
    coded('ERR_INVALID_ARG_TYPE'),
    coded('EAUTH', { responseCode: 535 }),
    new AggregateError([new Error('ours')]),
    AbortSignal.abort().reason,
    'ECONNREFUSED',
    undefined,
    null,
  ])('that is no fault of the network is none: %s', (error) => {
    expect(findNetworkFault(error)).toBeUndefined()
  })
})
