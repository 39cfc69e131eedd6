/** The query of one check to one DNS server: decides which of the received messages is the response to it. */
import type { Guard } from '../../../outgoing/guard.ts'
import type { DnsRecordType } from '../../../shared/monitors.ts'
import { type DnsServer, TcpExchange, UdpExchange } from './exchange.ts'
import { createQuery, type DnsQuery, type DnsResponse, decodeResponse, hasIdOf } from './message.ts'

export type InvalidResponse = 'malformed' | 'for another question'

interface QueryCallbacks {
  onResponse(response: DnsResponse): void
  /**
   * Called when the check stops waiting for a valid response: over UDP after too many other packets, over TCP after the
   * first invalid message.
   */
  onInvalid(problem: InvalidResponse): void
  onError(error: Error): void
}

/** After this many packets that are not a valid response, the check stops waiting for one. */
const MAX_IGNORED_MESSAGES = 50
/** Servers that don't support EDNS (RFC 6891) respond with one of these codes. */
const codesWithoutEdns = ['FORMERR', 'NOTIMP']

export class ServerQuery {
  readonly server: DnsServer
  hasFailed = false
  /** Whether the server answered a query for the root servers. If so, the server works, and only our name has a problem. */
  isAlive = false
  /** What is wrong with the last response to our query. It may be forged, so the check still waits for a valid one. */
  invalidResponse: InvalidResponse | undefined

  readonly #guard: Guard
  readonly #callbacks: QueryCallbacks
  readonly #exchange: UdpExchange
  #query: DnsQuery
  #aliveQuery: DnsQuery | undefined
  #ignoredCount = 0

  constructor(
    guard: Guard,
    server: DnsServer,
    { name, type }: { name: string; type: DnsRecordType },
    callbacks: QueryCallbacks,
  ) {
    this.server = server
    this.#guard = guard
    this.#callbacks = callbacks
    this.#query = createQuery(name, type)
    this.#exchange = new UdpExchange(guard, server, {
      onMessage: (message) => this.#handleMessage(message),
      onError: callbacks.onError,
    })
  }

  send({ asksWhetherAlive }: { asksWhetherAlive: boolean }): void {
    this.#exchange.send(this.#query.bytes)
    if (!asksWhetherAlive) return
    this.#aliveQuery ??= createQuery('.', 'NS')
    this.#exchange.send(this.#aliveQuery.bytes)
  }

  askOverTcp(): TcpExchange {
    const { onResponse, onInvalid, onError } = this.#callbacks
    return new TcpExchange(this.#guard, this.server, this.#query.bytes, {
      onMessage: (message) => {
        const response = hasIdOf(this.#query, message) ? decodeResponse(this.#query, message) : 'for another question'
        if (typeof response === 'string') onInvalid(response)
        else onResponse(response)
      },
      onError,
    })
  }

  close(): void {
    this.#exchange.close()
  }

  #handleMessage(message: Buffer): void {
    if (this.#aliveQuery !== undefined && hasIdOf(this.#aliveQuery, message)) {
      this.isAlive = true
      return
    }
    const response = hasIdOf(this.#query, message) ? decodeResponse(this.#query, message) : undefined
    if (response === undefined || typeof response === 'string') this.#ignore(response)
    else if (this.#query.usesEdns && codesWithoutEdns.includes(response.code)) {
      this.#query = createQuery(this.#query.name, this.#query.type, { usesEdns: false })
      this.#exchange.send(this.#query.bytes)
    } else this.#callbacks.onResponse(response)
  }

  #ignore(problem: InvalidResponse | undefined): void {
    this.invalidResponse = problem ?? this.invalidResponse
    if (++this.#ignoredCount > MAX_IGNORED_MESSAGES) this.#callbacks.onInvalid(this.invalidResponse ?? 'malformed')
  }
}
