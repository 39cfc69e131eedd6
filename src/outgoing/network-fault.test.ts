import { createTransport } from 'nodemailer'
import { Agent, errors, fetch, request } from 'undici'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  findClosedPort,
  serveHttp,
  serveHttps,
  serveTcp,
  testCertificate,
  toIpv4Addresses,
} from '../../tests/support/loopback-servers.ts'
import { type ConnectorOptions, createConnector } from './connector.ts'
import { Guard } from './guard.ts'
import { findNetworkFault } from './network-fault.ts'
import { NO_PRIVATE_TARGETS, parsePrivateTargets } from './private-targets.ts'

const guard = new Guard(parsePrivateTargets('allow'))

function createAgent(options?: ConnectorOptions, agentGuard = guard): Agent {
  const agent = new Agent({ connect: createConnector(agentGuard, options) })
  onTestFinished(() => agent.destroy())
  return agent
}

/** Classifies the error of a promise that must reject. */
async function findFaultOf(attempt: Promise<unknown>) {
  const error = await attempt.then(
    () => expect.unreachable('the attempt succeeded'),
    (reason: unknown) => reason,
  )
  return findNetworkFault(error)
}

const errorWithCode = (code: string, more = {}) => Object.assign(new Error(`${code} 10.0.0.1:80`), { code, ...more })

describe('a real error', () => {
  it('is classified as a refused connection, whether it comes from undici, fetch or nodemailer', async () => {
    const port = await findClosedPort()
    const fault = { cause: 'connect', description: 'connection refused' }
    const dispatcher = createAgent()
    expect(await findFaultOf(request(`http://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    expect(await findFaultOf(fetch(`http://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    expect(await findFaultOf(createTransport({ host: '127.0.0.1', port }).verify())).toEqual(fault)
    const guardWithTwoAddresses = new Guard(parsePrivateTargets('allow'), {
      resolve: async () => toIpv4Addresses('127.0.0.1', '127.0.0.2'),
    })
    expect(
      await findFaultOf(request(`http://twice.test:${port}/`, { dispatcher: createAgent({}, guardWithTwoAddresses) })),
    ).toEqual(fault)
  })

  it('is classified as a name that does not resolve', async () => {
    expect(await findFaultOf(request('http://nothing.invalid/', { dispatcher: createAgent() }))).toMatchObject({
      cause: 'dns',
    })
    expect(await findFaultOf(createTransport({ host: 'nothing.invalid' }).verify())).toMatchObject({ cause: 'dns' })
  })

  it('is classified as a connection that was reset, or closed without a response', async () => {
    const resettingServer = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(
      await findFaultOf(request(`http://127.0.0.1:${resettingServer.port}/`, { dispatcher: createAgent() })),
    ).toEqual({
      cause: 'connect',
      description: 'connection reset',
    })
    const closingServer = await serveTcp((socket) => socket.once('data', () => socket.end()))
    const closedFault = { cause: 'connect', description: 'the server closed the connection' }
    expect(
      await findFaultOf(request(`http://127.0.0.1:${closingServer.port}/`, { dispatcher: createAgent() })),
    ).toEqual(closedFault)
    expect(
      await findFaultOf(request(`https://127.0.0.1:${closingServer.port}/`, { dispatcher: createAgent() })),
    ).toEqual(closedFault)
    const serverWithoutGreeting = await serveTcp((socket) => socket.end())
    expect(
      await findFaultOf(createTransport({ host: '127.0.0.1', port: serverWithoutGreeting.port }).verify()),
    ).toEqual(closedFault)
  })

  it('is classified as a response that takes too long', async () => {
    const { port } = await serveTcp(() => {})
    const fault = { cause: 'timeout', description: 'timed out' }
    const dispatcher = createAgent({ timeoutMs: 10 })
    expect(await findFaultOf(request(`https://127.0.0.1:${port}/`, { dispatcher }))).toEqual(fault)
    const signal = AbortSignal.timeout(10)
    expect(await findFaultOf(request(`http://127.0.0.1:${port}/`, { dispatcher, signal }))).toEqual(fault)
    const transport = createTransport({ host: '127.0.0.1', port, greetingTimeout: 10 })
    expect(await findFaultOf(transport.verify())).toEqual(fault)
  })

  it('is classified as a certificate that is self-signed or for another host', async () => {
    const { port } = await serveHttps()
    const selfSignedFault = { cause: 'tls', description: 'the certificate is self-signed' }
    expect(await findFaultOf(request(`https://localhost:${port}/`, { dispatcher: createAgent() }))).toEqual(
      selfSignedFault,
    )
    expect(await findFaultOf(createTransport({ host: '127.0.0.1', port, secure: true }).verify())).toEqual(
      selfSignedFault,
    )
    const trustingAgent = createAgent({ tls: { ca: testCertificate } })
    expect(await findFaultOf(request(`https://localhost:${port}/`, { dispatcher: trustingAgent }))).toEqual({
      cause: 'tls',
      description: 'the certificate is for another host',
    })
  })

  it('is classified as a server that speaks another protocol', async () => {
    const { port } = await serveHttp()
    expect(await findFaultOf(request(`https://127.0.0.1:${port}/`, { dispatcher: createAgent() }))).toEqual({
      cause: 'tls',
      description: 'the TLS handshake failed',
    })
    const sshServer = await serveTcp((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
    expect(await findFaultOf(request(`http://127.0.0.1:${sshServer.port}/`, { dispatcher: createAgent() }))).toEqual({
      cause: 'connect',
      description: 'the response is not valid HTTP',
    })
  })

  it('is classified as a blocked address, with our message', async () => {
    const fault = {
      cause: 'blocked',
      description:
        'localhost resolves to a loopback address. Belfry connects to it only if BELFRY_PRIVATE_TARGETS allows it',
    }
    const dispatcher = createAgent({}, new Guard(NO_PRIVATE_TARGETS))
    expect(await findFaultOf(request('http://localhost/', { dispatcher }))).toEqual(fault)
    expect(await findFaultOf(fetch('http://localhost/', { dispatcher }))).toEqual(fault)
  })
})

describe('an error', () => {
  it.each([
    ['dns', 'no such host', errorWithCode('ENOTFOUND', { syscall: 'getaddrinfo' })],
    ['dns', 'no such host', errorWithCode('EDNS', { originalCode: 'ENOTFOUND', syscall: 'queryA' })],
    ['dns', 'the host name could not be resolved', errorWithCode('EAI_AGAIN', { syscall: 'getaddrinfo' })],
    ['dns', 'the host name could not be resolved', errorWithCode('ECONNREFUSED', { syscall: 'queryA' })],
    ['dns', 'the host name could not be resolved', errorWithCode('EDNS')],
    ['connect', 'host unreachable', errorWithCode('EHOSTUNREACH', { syscall: 'connect' })],
    ['connect', 'host unreachable', errorWithCode('ENETUNREACH')],
    ['connect', 'connection reset', errorWithCode('ESOCKET', { originalCode: 'ECONNRESET', errno: -104 })],
    ['connect', 'the server closed the connection', errorWithCode('EPIPE')],
    ['connect', 'the server closed the connection', errorWithCode('ECONNECTION')],
    ['connect', 'the connection failed', errorWithCode('ESOCKET')],
    ['timeout', 'timed out', errorWithCode('ETIMEDOUT')],
    ['timeout', 'timed out', new errors.ConnectTimeoutError()],
    ['timeout', 'timed out', new errors.HeadersTimeoutError()],
    ['timeout', 'timed out', new errors.BodyTimeoutError()],
    ['tls', 'the certificate has expired', errorWithCode('CERT_HAS_EXPIRED')],
    ['tls', 'the certificate is not valid yet', errorWithCode('CERT_NOT_YET_VALID')],
    ['tls', 'the certificate is not trusted', errorWithCode('SELF_SIGNED_CERT_IN_CHAIN')],
    ['tls', 'the certificate is not trusted', errorWithCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    [
      'tls',
      'the certificate is not trusted',
      errorWithCode('ESOCKET', { originalCode: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }),
    ],
    ['connect', 'the response is not valid HTTP', errorWithCode('HPE_INVALID_CONSTANT')],
    ['tls', 'the TLS handshake failed', errorWithCode('ETLS')],
    ['tls', 'the TLS handshake failed', errorWithCode('EPROTO', { syscall: 'write' })],
  ])('has the cause %s: %s', (cause, description, error) => {
    expect(findNetworkFault(error)).toEqual({ cause, description })
    expect(findNetworkFault(new Error('fetch failed', { cause: error }))).toEqual({ cause, description })
  })

  it('of several attempts is described by the most informative attempt', () => {
    const attempts = [errorWithCode('ENETUNREACH'), errorWithCode('ECONNREFUSED')]
    expect(findNetworkFault(Object.assign(new AggregateError(attempts), { code: 'ENETUNREACH' }))).toEqual({
      cause: 'connect',
      description: 'connection refused',
    })
    expect(findNetworkFault(new AggregateError([errorWithCode('ENETUNREACH'), errorWithCode('EHOSTUNREACH')]))).toEqual(
      {
        cause: 'connect',
        description: 'host unreachable',
      },
    )
  })

  it.each([
    new TypeError('x is not a function'),
    errorWithCode('EMFILE', { syscall: 'connect' }),
    errorWithCode('ERR_INVALID_ARG_TYPE'),
    errorWithCode('EAUTH', { responseCode: 535 }),
    new AggregateError([new Error('ours')]),
    AbortSignal.abort().reason,
    'ECONNREFUSED',
    undefined,
    null,
  ])('that is not a network fault is not classified: %s', (error) => {
    expect(findNetworkFault(error)).toBeUndefined()
  })
})
