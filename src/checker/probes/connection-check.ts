/**
 * A check of one host and port: the DNS lookup, the connection, and what a subclass does with the connection, all within one
 * timeout. Every address is vetted before it is dialled.
 */
import type { Socket } from 'node:net'
import { formatHostPort } from '../../lib/network-address.ts'
import { type DialOperation, dial } from '../../outgoing/dial.ts'
import type { Guard, ResolvedAddress } from '../../outgoing/guard.ts'
import { pickMostInformative } from '../../outgoing/network-fault.ts'
import { closeSocket, resetConnection } from './close-socket.ts'
import { createFailureFromError, findShortageResult } from './failure.ts'
import { createTimeoutFailure, PhaseTimer } from './phases.ts'
import { type CheckFailure, emptyResult, type Inconclusive, type ProbeResult } from './probe.ts'
import type { CheckDone, RunningCheck } from './running-checks.ts'

export interface ConnectionTarget {
  host: string
  port: number
  timeoutMs: number
}

export abstract class ConnectionCheck implements RunningCheck {
  protected readonly target: ConnectionTarget
  protected readonly phases = new PhaseTimer()
  protected responded = false
  protected expiresAt: Date | null = null
  /** The connection to close at the end of the check. */
  protected socket: Socket | undefined

  #tcpConnection: Socket | undefined
  readonly #guard: Guard
  readonly #done: CheckDone
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #dialOperation: DialOperation | undefined
  #address: string | null = null
  #isDone = false

  constructor(target: ConnectionTarget, guard: Guard, done: CheckDone) {
    this.target = target
    this.#guard = guard
    this.#done = done
  }

  /** Called once, when the phase `connectMs` is complete. Must add an error listener to the socket. */
  protected abstract onConnect(socket: Socket): void

  start(): void {
    this.#timer = setTimeout(() => this.run(() => this.#handleTimeout()), this.target.timeoutMs)
    this.phases.start('dnsMs')
    this.run(() => this.#lookUp())
  }

  #handleTimeout(): void {
    if (this.#tcpConnection !== undefined) resetConnection(this.#tcpConnection)
    this.finish(this.createTimeoutFailure())
  }

  stop(): void {
    this.#end({ inconclusive: 'The Belfry server stopped during the check' })
  }

  /** Wraps every callback. An exception in `work` is our bug, so it is passed to the caller of the check. */
  protected run(work: () => void): void {
    if (this.#isDone) return
    try {
      work()
    } catch (error) {
      if (this.#isDone) throw error
      this.#cleanUp()
      this.#done(error as Error, { inconclusive: '' })
    }
  }

  protected finish(failure: CheckFailure | null): void {
    this.#end(this.#toResult(failure))
  }

  protected failWith(error: Error): void {
    const { host } = this.target
    this.#end(findShortageResult(error) ?? this.#toResult(createFailureFromError(error, host, this.endpoint)))
  }

  protected createTimeoutFailure(): CheckFailure {
    const { host, timeoutMs } = this.target
    if (this.phases.current === 'connectMs') this.#address = this.#dialOperation?.address ?? null
    return createTimeoutFailure(this.phases.current, host, this.endpoint, timeoutMs)
  }

  protected get endpoint(): string | null {
    return this.#address === null ? null : formatHostPort(this.#address, this.target.port)
  }

  #lookUp(): void {
    let numericAddresses: ResolvedAddress[] | undefined
    try {
      numericAddresses = this.#guard.vetNumeric(this.target.host)
    } catch (refusal) {
      this.failWith(refusal as Error)
      return
    }
    if (numericAddresses !== undefined) {
      this.#connect(numericAddresses)
      return
    }
    this.#guard.resolveVetted(this.target.host).then(
      (addresses) =>
        this.run(() => {
          this.phases.complete()
          this.#connect(addresses)
        }),
      (error) => this.run(() => this.failWith(error)),
    )
  }

  #connect(addresses: ResolvedAddress[]): void {
    this.phases.start('connectMs')
    this.#dialOperation = dial(this.#guard, this.target, addresses, {
      onConnect: (socket, address) =>
        this.run(() => {
          this.#tcpConnection = socket
          this.socket = socket
          this.#address = address
          this.phases.complete()
          this.onConnect(socket)
        }),
      onFailure: (failures) =>
        this.run(() => {
          const { error, address } = pickMostInformative(failures) as (typeof failures)[number]
          this.#address = address
          this.failWith(error)
        }),
    })
  }

  #toResult(failure: CheckFailure | null): ProbeResult {
    return {
      ...emptyResult,
      failure,
      responseMs: this.responded ? Math.round(performance.now() - this.#startedAt) : null,
      timings: this.phases.timings,
      expiresAt: this.expiresAt,
      address: this.#address,
      responded: this.responded,
    }
  }

  #end(result: ProbeResult | Inconclusive): void {
    this.#cleanUp()
    this.#done(undefined, result)
  }

  #cleanUp(): void {
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#dialOperation?.cancel()
    if (this.socket !== undefined) closeSocket(this.socket)
  }
}
