import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { toIpv4Addresses } from '../../tests/support/loopback-servers.ts'
import { serveNames } from '../../tests/support/name-server.ts'
import type { ResolveHost } from './guard.ts'
import { findNetworkFault } from './network-fault.ts'
import { openResolver, parseHosts, type ResolverOptions } from './resolver.ts'

const unknownNameError = Object.assign(new Error('the system does not know it'), {
  code: 'ENOTFOUND',
  syscall: 'getaddrinfo',
})
const rejectEveryName: ResolveHost = () => Promise.reject(unknownNameError)

function createResolver(options: ResolverOptions) {
  const resolver = openResolver({ hostsFile: '/nowhere', resolveWithSystem: rejectEveryName, ...options })
  onTestFinished(() => resolver.close())
  return resolver.resolve
}

const toIpv6Address = (address: string) => ({ address, family: 6 })

describe('a name', () => {
  it('has addresses of both families, IPv4 first', async () => {
    const { serverAddress, queries } = await serveNames({
      'A both.test': ['192.0.2.1', '192.0.2.2'],
      'AAAA both.test': ['2001:db8::1'],
    })
    expect(await createResolver({ servers: [serverAddress] })('both.test')).toEqual([
      ...toIpv4Addresses('192.0.2.1', '192.0.2.2'),
      toIpv6Address('2001:db8::1'),
    ])
    expect(queries.sort()).toEqual(['A both.test', 'AAAA both.test'])
  })

  it('has the addresses of one family if the query for the other family fails', async () => {
    const { serverAddress } = await serveNames({
      'A four.test': ['192.0.2.4'],
      'AAAA four.test': [],
      'A six.test': [],
      'AAAA six.test': ['2001:db8::6'],
      'A broken.test': ['192.0.2.5'],
      'AAAA broken.test': 'server failure',
      'A silent.test': ['192.0.2.7'],
      'AAAA silent.test': 'silence',
    })
    const resolve = createResolver({ servers: [serverAddress] })
    expect(await resolve('four.test')).toEqual(toIpv4Addresses('192.0.2.4'))
    expect(await resolve('six.test')).toEqual([toIpv6Address('2001:db8::6')])
    expect(await resolve('broken.test')).toEqual(toIpv4Addresses('192.0.2.5'))
    expect(await resolve('silent.test')).toEqual(toIpv4Addresses('192.0.2.7'))
  })

  it('is looked up once for concurrent callers, and again for later ones', async () => {
    const { serverAddress, queries } = await serveNames({ 'A busy.test': ['192.0.2.1'], 'AAAA busy.test': [] })
    const resolve = createResolver({ servers: [serverAddress] })
    await Promise.all([resolve('busy.test'), resolve('BUSY.test'), resolve('busy.test')])
    expect(queries).toHaveLength(2)
    await resolve('busy.test')
    expect(queries).toHaveLength(4)
  })

  it('that does not exist is reported as a name that does not exist', async () => {
    const { serverAddress } = await serveNames({})
    const error = await createResolver({ servers: [serverAddress] })('gone.test').catch((reason: unknown) => reason)
    expect(findNetworkFault(error)).toEqual({ cause: 'dns', description: 'no such host' })
  })

  it('whose name server fails is not reported as missing, and the system resolver is not used', async () => {
    const { serverAddress } = await serveNames({
      'A failing.test': 'server failure',
      'AAAA failing.test': 'server failure',
    })
    const resolveWithSystem: ResolveHost = () => expect.unreachable('the system resolver was called')
    const error = await createResolver({ servers: [serverAddress], resolveWithSystem })('failing.test').catch(
      (reason: unknown) => reason,
    )
    expect(findNetworkFault(error)).toEqual({
      cause: 'dns',
      description: 'the host name could not be resolved',
    })
  })
})

describe('the hosts file', () => {
  it('comes first, and is read again when it changes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'belfry-hosts-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const hostsFile = join(folder, 'hosts')
    writeFileSync(hostsFile, '127.0.0.7 inner.test\n')
    const { serverAddress, queries } = await serveNames({})
    const resolve = createResolver({ servers: [serverAddress], hostsFile })
    expect(await resolve('inner.test')).toEqual(toIpv4Addresses('127.0.0.7'))
    expect(await resolve('Inner.Test.')).toEqual(toIpv4Addresses('127.0.0.7'))
    writeFileSync(hostsFile, '127.0.0.88 inner.test\n')
    await expect.poll(() => resolve('inner.test'), { timeout: 10_000 }).toEqual(toIpv4Addresses('127.0.0.88'))
    expect(queries).toEqual([])
  })

  it('contains addresses, names and comments', () => {
    const hosts = parseHosts('# all of them\n127.0.0.1\tlocalhost Here # us\n::1 localhost\n\nnonsense here\n')
    expect(Object.fromEntries(hosts)).toEqual({
      localhost: [...toIpv4Addresses('127.0.0.1'), toIpv6Address('::1')],
      here: toIpv4Addresses('127.0.0.1'),
    })
  })
})

describe('the system resolver', () => {
  it('resolves names that the name servers do not know', async () => {
    const { serverAddress } = await serveNames({ 'A word': 'server failure', 'AAAA word': 'server failure' })
    const resolveWithSystem: ResolveHost = async (name) =>
      toIpv4Addresses(name === 'printer.local' ? '127.0.0.5' : '127.0.0.6')
    const resolve = createResolver({ servers: [serverAddress], resolveWithSystem })
    expect(await resolve('printer.local')).toEqual(toIpv4Addresses('127.0.0.5'))
    expect(await resolve('word')).toEqual(toIpv4Addresses('127.0.0.6'))
  })

  it('is not retried right away for a name it does not know', async () => {
    const { serverAddress } = await serveNames({})
    const lookedUpNames: string[] = []
    const resolveWithSystem: ResolveHost = (name) => {
      lookedUpNames.push(name)
      return Promise.reject(unknownNameError)
    }
    const resolve = createResolver({ servers: [serverAddress], resolveWithSystem })
    await expect(resolve('gone.test')).rejects.toMatchObject({
      code: 'ENOTFOUND',
      syscall: expect.stringMatching('query'),
    })
    await expect(resolve('gone.test')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    expect(lookedUpNames).toEqual(['gone.test'])
  })

  it('reports its error if it fails for another reason', async () => {
    const { serverAddress } = await serveNames({})
    const busyError = Object.assign(new Error('try again'), { code: 'EAI_AGAIN', syscall: 'getaddrinfo' })
    const resolve = createResolver({ servers: [serverAddress], resolveWithSystem: () => Promise.reject(busyError) })
    await expect(resolve('gone.test')).rejects.toBe(busyError)
    await expect(resolve('gone.test')).rejects.toBe(busyError)
  })

  it('runs two lookups at a time', async () => {
    const { serverAddress } = await serveNames({})
    const finishCallbacks: (() => void)[] = []
    const lookedUpNames: string[] = []
    const resolveWithSystem: ResolveHost = async (name) => {
      lookedUpNames.push(name)
      await new Promise<void>((finish) => finishCallbacks.push(finish))
      return toIpv4Addresses('127.0.0.1')
    }
    const resolve = createResolver({ servers: [serverAddress], resolveWithSystem })
    const allLookups = Promise.all(['a.test', 'b.test', 'c.test'].map(resolve))
    await expect.poll(() => lookedUpNames.length).toBe(2)
    finishCallbacks[0]?.()
    await expect.poll(() => lookedUpNames.length).toBe(3)
    for (const finish of finishCallbacks) finish()
    expect(await allLookups).toHaveLength(3)
  })
})
