/**
 * One check: look-up, connection, TLS, question and answer, and again for every redirect, all within one time limit.
 * Everything is dialled by ourselves, so that every address is vetted, and then spoken with Node's own parser. Callbacks
 * instead of promises, because this is where the time of a check goes.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../../../lib/clock.ts'
import { type Dialling, dial } from '../../../outgoing/dial.ts'
import type { Guard, ResolvedAddress } from '../../../outgoing/guard.ts'
import { mostTelling } from '../../../outgoing/network-fault.ts'
import { type Failure, failure, failureOf, placeOf, shortageOf } from '../failure.ts'
import { type Finding, type HttpTarget, noTimings, type Timings, type Unknown } from '../probe.ts'
import { describeFault } from './certificate.ts'
import { firstHop, type Hop, isRedirect, nextHop } from './hop.ts'
import { letGo } from './let-go.ts'
import { lateness, type Phase } from './phase.ts'
import { headersOf, pathOf } from './request.ts'
import { searchBody } from './search-body.ts'
import { isExpected } from './statuses.ts'
import { textFailure } from './text-failure.ts'
import { certificateOf, startTls } from './tls.ts'

/** Not by import, which would also load the WebSocket that the module offers: 5 MB. */
const http = process.getBuiltinModule('node:http')

/** Node's 16 KiB are fewer than what some pages say about their cookies and policies. */
const HEAD_MOST_BYTES = 64 * 1024

interface Tools {
  guard: Guard
  clock: Clock
  secureContext?: SecureContext
}

type Done = (error: Error | undefined, finding: Finding | Unknown) => void

export class HttpCheck {
  readonly #target: HttpTarget
  readonly #tools: Tools
  readonly #done: Done
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #isDone = false

  #hop: Hop
  #redirects = 0
  #phase: Phase = 'dnsMs'
  #phaseStartedAt = 0
  #dialling: Dialling | undefined
  #socket: Socket | undefined
  #search: { giveUp(): void } | undefined

  #timings: Timings = { ...noTimings }
  #address: string | null = null
  #httpStatus: number | null = null
  #tlsExpiresAt: Date | null = null
  #answered = false

  constructor(target: HttpTarget, tools: Tools, done: Done) {
    this.#target = target
    this.#tools = tools
    this.#done = done
    this.#hop = firstHop(target)
  }

  start(): void {
    this.#timer = setTimeout(() => this.#runOut(), this.#target.timeoutMs)
    this.#step(this.#hop, () => this.#visit(this.#hop))
  }

  stop(): void {
    this.#end({ unknown: 'This server was stopped during the check' })
  }

  /**
   * Every callback comes through here. What a server that redirected us still has to say does not count, and nothing does
   * once the end is known. What is thrown is a mistake of ours.
   */
  #step(hop: Hop, work: () => void): void {
    if (this.#isDone || this.#hop !== hop) return
    try {
      work()
    } catch (error) {
      if (this.#isDone) throw error
      this.#release()
      this.#done(error as Error, { unknown: '' })
    }
  }

  #visit(hop: Hop) {
    this.#hop = hop
    this.#timings = { ...noTimings }
    this.#httpStatus = null
    this.#enter('dnsMs')
    let numeric: ResolvedAddress[] | undefined
    try {
      numeric = this.#tools.guard.vetNumeric(hop.host)
    } catch (refusal) {
      return this.#fail(refusal as Error)
    }
    if (numeric !== undefined) return this.#dial(numeric)
    this.#tools.guard.resolveVetted(hop.host).then(
      (addresses) =>
        this.#step(hop, () => {
          this.#leave()
          this.#dial(addresses)
        }),
      (error) => this.#step(hop, () => this.#fail(error)),
    )
  }

  #dial(addresses: ResolvedAddress[]): void {
    const hop = this.#hop
    this.#enter('connectMs')
    this.#dialling = dial(this.#tools.guard, hop, addresses, {
      connected: (socket, address) =>
        this.#step(hop, () => {
          this.#socket = socket
          this.#address = address
          this.#leave()
          if (hop.url.protocol === 'https:') this.#secure(socket)
          else this.#ask(socket)
        }),
      failed: (failures) =>
        this.#step(hop, () => {
          const { error, address } = mostTelling(failures) as (typeof failures)[number]
          this.#address = address
          this.#fail(error)
        }),
    })
  }

  #secure(socket: Socket): void {
    const hop = this.#hop
    this.#enter('tlsMs')
    const secured = startTls(socket, hop.host, this.#tools.secureContext)
    this.#socket = secured
    secured.on('error', (error) => this.#step(hop, () => this.#fail(error)))
    secured.once('secureConnect', () =>
      this.#step(hop, () => {
        this.#leave()
        this.#vetCertificate(secured)
      }),
    )
  }

  #vetCertificate(socket: TLSSocket) {
    const certificate = certificateOf(socket)
    if (certificate === undefined) return this.#judge(failure('tls', 'no certificate was shown'))
    // Of several on the way, the one that ends first.
    if (this.#tlsExpiresAt === null || certificate.validTo < this.#tlsExpiresAt)
      this.#tlsExpiresAt = certificate.validTo
    const code = socket.authorizationError as unknown as string | null
    if (code === null || !this.#target.http.verify_tls) return this.#ask(socket)
    this.#answered = true
    this.#judge(failure('tls', describeFault(code, certificate, this.#hop.host, this.#tools.clock.now())))
  }

  #ask(socket: Socket): void {
    const hop = this.#hop
    this.#enter('firstByteMs')
    const body = hop.body === null ? undefined : Buffer.from(hop.body)
    const request = http.request({
      createConnection: () => socket,
      method: hop.method,
      path: pathOf(hop),
      headers: headersOf(hop, body),
      maxHeaderSize: HEAD_MOST_BYTES,
    })
    request.on('error', (error) => this.#step(hop, () => this.#fail(error)))
    const hear = (response: IncomingMessage) =>
      this.#step(hop, () => {
        this.#leave()
        this.#hear(response)
      })
    request.on('response', hear)
    // A server may change to another protocol without being asked: that is an answer too.
    request.on('upgrade', hear)
    request.end(body)
  }

  #hear(response: IncomingMessage) {
    const status = response.statusCode as number
    const { expected_status, follow_redirects, keyword, keyword_absent } = this.#target.http
    this.#answered = true
    this.#httpStatus = status
    if (follow_redirects && isRedirect(status)) return this.#follow(status, response.headers.location)
    if (!isExpected(status, expected_status)) {
      return this.#judge(failure('http_status', `answered ${status}, expected ${expected_status}`))
    }
    const text = keyword ?? keyword_absent
    if (text === null) return this.#judge(null)
    if (status === 101) return this.#judge(textFailure(this.#target.http, 'absent'))
    const hop = this.#hop
    this.#enter('body')
    this.#search = searchBody(response, text, (error, found) =>
      this.#step(hop, () =>
        error === undefined ? this.#judge(textFailure(this.#target.http, found)) : this.#fail(error),
      ),
    )
  }

  #follow(status: number, location: string | undefined) {
    const hop = nextHop(this.#hop, status, location, this.#redirects++)
    if (typeof hop === 'string') return this.#judge(failure('redirect', hop))
    if (this.#socket !== undefined) letGo(this.#socket)
    this.#visit(hop)
  }

  #runOut(): void {
    if (this.#phase === 'connectMs') this.#address = this.#dialling?.address ?? null
    this.#judge(lateness(this.#phase, this.#hop.host, this.#place, this.#target.timeoutMs))
  }

  #fail(error: Error): void {
    this.#end(shortageOf(error) ?? this.#found(failureOf(error, this.#hop.host, this.#place)))
  }

  #judge(failure: Failure | null): void {
    this.#end(this.#found(failure))
  }

  #found(failure: Failure | null): Finding {
    return {
      failure,
      responseMs: this.#answered ? Math.round(performance.now() - this.#startedAt) : null,
      timings: this.#timings,
      httpStatus: this.#httpStatus,
      tlsExpiresAt: this.#tlsExpiresAt,
      packetLoss: null,
      address: this.#address,
      answered: this.#answered,
    }
  }

  #end(finding: Finding | Unknown): void {
    this.#release()
    this.#done(undefined, finding)
  }

  #release(): void {
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#dialling?.giveUp()
    this.#search?.giveUp()
    if (this.#socket !== undefined) letGo(this.#socket)
  }

  #enter(phase: Phase): void {
    this.#phase = phase
    this.#phaseStartedAt = performance.now()
  }

  #leave(): void {
    if (this.#phase !== 'body') this.#timings[this.#phase] = Math.round(performance.now() - this.#phaseStartedAt)
  }

  get #place(): string | null {
    return this.#address === null ? null : placeOf(this.#address, this.#hop.port)
  }
}
