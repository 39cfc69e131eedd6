/** Makes every connection, UDP packet and DNS query of this process fail if it would leave the machine. */
import { Socket as UdpSocket } from 'node:dgram'
import dns from 'node:dns'
import dnsPromises from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { isIP, Socket } from 'node:net'

export interface LoopbackOnly {
  /** Descriptions of the connections and DNS queries that were prevented. */
  attempts: string[]
  end(): void
}

const isLoopback = (host: string) => /^(127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)

/** Node passes the arguments of `connect` as one normalized list. */
function findHost(args: unknown[]): string | undefined {
  const [options] = args.flat() as [{ host?: string; path?: string } | string | number]
  if (typeof options !== 'object') return typeof args[1] === 'string' ? args[1] : 'localhost'
  return options.path === undefined ? (options.host ?? 'localhost') : undefined
}

export function allowLoopbackOnly(): LoopbackOnly {
  const attempts: string[] = []
  const originals = {
    connect: Socket.prototype.connect,
    connectUdp: UdpSocket.prototype.connect,
    resolve4: dns.Resolver.prototype.resolve4,
    resolve6: dns.Resolver.prototype.resolve6,
    resolveTxt: dns.Resolver.prototype.resolveTxt,
    lookup: dns.lookup,
    lookupPromise: dnsPromises.lookup,
  }
  const prevent = (attempt: string): Error => {
    attempts.push(attempt)
    return Object.assign(new Error(`${attempt} is not allowed in this test`), { code: 'ENOTFOUND' })
  }
  const install = (functions: typeof originals) => {
    Socket.prototype.connect = functions.connect
    UdpSocket.prototype.connect = functions.connectUdp
    const { resolve4, resolve6, resolveTxt } = functions
    Object.assign(dns.Resolver.prototype, { resolve4, resolve6, resolveTxt })
    dns.lookup = functions.lookup
    dnsPromises.lookup = functions.lookupPromise
    // Makes the changes visible to modules that have imported the functions.
    syncBuiltinESMExports()
  }
  const rejectQuery = (name: string, ...rest: unknown[]) => {
    const callback = rest.at(-1) as (error: Error) => void
    process.nextTick(callback, prevent(`a DNS query for ${name}`))
  }

  install({
    connect: function (this: Socket, ...args: unknown[]) {
      const host = findHost(args)
      if (host === undefined || isLoopback(host)) return Reflect.apply(originals.connect, this, args)
      process.nextTick(() => this.destroy(prevent(`a connection to ${host}`)))
      return this
    } as typeof originals.connect,
    connectUdp: function (this: UdpSocket, ...args: unknown[]) {
      const host = typeof args[1] === 'string' ? args[1] : 'localhost'
      if (isLoopback(host)) return Reflect.apply(originals.connectUdp, this, args)
      process.nextTick(() => this.emit('error', prevent(`UDP packets to ${host}`)))
    } as typeof originals.connectUdp,
    resolve4: rejectQuery as never,
    resolve6: rejectQuery as never,
    resolveTxt: rejectQuery as never,
    lookup: ((name: string, ...rest: unknown[]) =>
      isLoopback(name) || isIP(name) !== 0
        ? Reflect.apply(originals.lookup, dns, [name, ...rest])
        : rejectQuery(name, ...rest)) as never,
    lookupPromise: (async (name: string, ...rest: unknown[]) => {
      if (isLoopback(name) || isIP(name) !== 0)
        return Reflect.apply(originals.lookupPromise, dnsPromises, [name, ...rest])
      throw prevent(`a lookup of ${name}`)
    }) as never,
  })
  return { attempts, end: () => install(originals) }
}
