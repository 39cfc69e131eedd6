/**
 * One HTTP check: DNS lookup, connection, TLS handshake, request and response, repeated for every redirect, all within
 * one timeout. The check opens each connection itself, so that every address is vetted. It uses callbacks,
 * because promises would take more CPU time, and a check spends most of its CPU time here.
 */
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { formatHostPort } from '../../../lib/network-address.ts'
import { type DialOperation, dial } from '../../../outgoing/dial.ts'
import type { Guard, ResolvedAddress } from '../../../outgoing/guard.ts'
import { pickMostInformative } from '../../../outgoing/network-fault.ts'
import { closeSocket, resetConnection } from '../close-socket.ts'
import { createFailure, createFailureFromError, findShortageResult } from '../failure.ts'
import { createTimeoutFailure, PhaseTimer } from '../phases.ts'
import type { CheckFailure, HttpTarget, Inconclusive, ProbeResult } from '../probe.ts'
import type { CheckDone, RunningCheck } from '../running-checks.ts'
import { describeCertificateError, readCertificate, startTls } from '../tls-connection.ts'
import { type BodyResult, checkBody, findMissingBodyFailure } from './body-check.ts'
import type { BodyReader } from './body-reader.ts'
import { CookieJar } from './cookie-jar.ts'
import { Exchange } from './exchange.ts'
import type { JsonTester } from './json/tester.ts'
import { createInitialRequest, followRedirect, type HttpRequest, isRedirect } from './redirects.ts'
import type { ResponseHead } from './response-head.ts'

interface Deps {
  guard: Guard
  clock: Clock
  jsonTester: JsonTester
  secureContext?: SecureContext | undefined
}

export class HttpCheck implements RunningCheck {
  readonly #target: HttpTarget
  readonly #deps: Deps
  readonly #done: CheckDone
  readonly #startedAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  /** When the response ended. Testing its JSON comes later, and doesn't count as response time. */
  #responseEndedAt: number | undefined
  #isDone = false

  #request: HttpRequest
  #redirectCount = 0
  #phases = new PhaseTimer()
  #dialOperation: DialOperation | undefined
  #tcpConnection: Socket | undefined
  /** The connection that carries the request: the TCP connection itself, or TLS above it. */
  #socket: Socket | undefined
  #exchange: Exchange | undefined
  #bodyReader: BodyReader | undefined
  #cookieJar: CookieJar | undefined

  #address: string | null = null
  #httpStatus: number | null = null
  #expiresAt: Date | null = null
  #responded = false

  constructor(target: HttpTarget, deps: Deps, done: CheckDone) {
    this.#target = target
    this.#deps = deps
    this.#done = done
    this.#request = createInitialRequest(target)
  }

  start(): void {
    this.#timer = setTimeout(
      () => this.#runIfCurrent(this.#request, () => this.#handleTimeout()),
      this.#target.timeoutMs,
    )
    this.#runIfCurrent(this.#request, () => this.#startRequest(this.#request))
  }

  stop(): void {
    this.#end({ inconclusive: 'The Belfry server stopped during the check' })
  }

  /**
   * Wraps every callback. Does not run `work` if `request` has been redirected or the check has ended. An exception in
   * `work` is our bug, so it is passed to the caller of the check.
   */
  #runIfCurrent(request: HttpRequest, work: () => void): void {
    if (this.#isDone || this.#request !== request) return
    try {
      work()
    } catch (error) {
      if (this.#isDone) throw error
      this.#cleanUp()
      this.#done(error as Error, { inconclusive: '' })
    }
  }

  #startRequest(request: HttpRequest) {
    this.#request = request
    this.#phases = new PhaseTimer()
    this.#httpStatus = null
    this.#phases.start('dnsMs')
    let numericAddress: ResolvedAddress[] | undefined
    try {
      numericAddress = this.#deps.guard.vetNumeric(request.host)
    } catch (refusal) {
      return this.#failWith(refusal as Error)
    }
    if (numericAddress !== undefined) return this.#connect(numericAddress)
    this.#deps.guard.resolveVetted(request.host).then(
      (addresses) =>
        this.#runIfCurrent(request, () => {
          this.#phases.complete()
          this.#connect(addresses)
        }),
      (error) => this.#runIfCurrent(request, () => this.#failWith(error)),
    )
  }

  #connect(addresses: ResolvedAddress[]): void {
    const request = this.#request
    this.#phases.start('connectMs')
    this.#dialOperation = dial(this.#deps.guard, request, addresses, {
      onConnect: (socket, address) =>
        this.#runIfCurrent(request, () => {
          this.#tcpConnection = socket
          this.#socket = socket
          this.#address = address
          this.#phases.complete()
          if (request.url.protocol === 'https:') this.#startTls(socket)
          else this.#send(socket)
        }),
      onFailure: (failures) =>
        this.#runIfCurrent(request, () => {
          const { error, address } = pickMostInformative(failures) as (typeof failures)[number]
          this.#address = address
          this.#failWith(error)
        }),
    })
  }

  #startTls(socket: Socket): void {
    const request = this.#request
    this.#phases.start('tlsMs')
    const tlsSocket = startTls(socket, request.host, {
      secureContext: this.#deps.secureContext,
      alpnProtocol: 'http/1.1',
    })
    this.#socket = tlsSocket
    const handleError = (error: Error) => this.#runIfCurrent(request, () => this.#failWith(error))
    tlsSocket.on('error', handleError)
    tlsSocket.once('secureConnect', () =>
      this.#runIfCurrent(request, () => {
        this.#phases.complete()
        this.#verifyCertificate(tlsSocket)
        // From now on, the exchange decides what an error means: the response may already be complete.
        if (this.#exchange !== undefined) tlsSocket.off('error', handleError)
      }),
    )
  }

  #verifyCertificate(socket: TLSSocket) {
    const certificate = readCertificate(socket)
    if (certificate === undefined) return this.#finish(createFailure('tls', 'Server sent no certificate'))
    // After redirects, report the certificate that expires first.
    if (this.#expiresAt === null || certificate.validTo < this.#expiresAt) this.#expiresAt = certificate.validTo
    const code = socket.authorizationError as unknown as string | null
    if (code === null || !this.#target.http.verify_tls) return this.#send(socket)
    this.#responded = true
    const detail = describeCertificateError(code, certificate, this.#request.host, this.#deps.clock.now())
    this.#finish(createFailure('tls', detail))
  }

  #send(socket: Socket): void {
    const request = this.#request
    this.#phases.start('firstByteMs')
    this.#exchange = new Exchange(socket, request, {
      onHead: (head) =>
        this.#runIfCurrent(request, () => {
          this.#phases.complete()
          this.#handleHead(head)
        }),
      onBody: (part) => this.#runIfCurrent(request, () => this.#bodyReader?.add(part)),
      onEnd: () => this.#runIfCurrent(request, () => this.#bodyReader?.end()),
      onError: (error) => this.#runIfCurrent(request, () => this.#handleExchangeError(error)),
    })
  }

  #handleExchangeError(error: Error): void {
    if (this.#bodyReader === undefined) this.#failWith(error)
    else this.#bodyReader.fail(error)
  }

  #handleHead(head: ResponseHead) {
    const { status } = head
    const { expected_status: expected, follow_redirects } = this.#target.http
    this.#responded = true
    this.#httpStatus = status
    if (follow_redirects && isRedirect(status)) return this.#followRedirect(head)
    if (!isExpectedStatus(status, expected)) {
      const detail = `Status ${status}, expected ${formatExpectedStatus(expected)}`
      return this.#finish(createFailure('http_status', detail))
    }
    // After status 101 the connection uses another protocol, so there is no body.
    if (status === 101) return this.#finish(findMissingBodyFailure(this.#target.http))
    this.#startBody(head)
  }

  #followRedirect({ status, location, setCookies }: ResponseHead) {
    const now = this.#deps.clock.now().getTime()
    if (setCookies !== undefined) {
      this.#cookieJar ??= new CookieJar()
      this.#cookieJar.add(setCookies, this.#request.url, now)
    }
    const next = followRedirect(this.#request, { status, location, followedCount: this.#redirectCount++ })
    if (typeof next === 'string') return this.#finish(createFailure('redirect', next))
    this.#closeConnection()
    this.#startRequest(this.#cookieJar === undefined ? next : { ...next, cookies: this.#cookieJar.list(next.url, now) })
  }

  #startBody(head: ResponseHead): void {
    const request = this.#request
    this.#phases.start('body')
    this.#bodyReader = checkBody(head, this.#target, this.#deps.jsonTester, {
      onEnd: () => {
        clearTimeout(this.#timer)
        this.#responseEndedAt = performance.now()
        this.#closeConnection()
      },
      onResult: (result) => this.#runIfCurrent(request, () => this.#handleBodyResult(result)),
      onError: (error) =>
        this.#runIfCurrent(request, () => {
          throw error
        }),
    })
  }

  #handleBodyResult(result: BodyResult): void {
    if ('inconclusive' in result) this.#end(result)
    else this.#finish(result.failure, result.note)
  }

  #handleTimeout(): void {
    const phase = this.#phases.current
    if (phase === 'connectMs') this.#address = this.#dialOperation?.address ?? null
    if (this.#tcpConnection !== undefined) resetConnection(this.#tcpConnection)
    this.#finish(createTimeoutFailure(phase, this.#request.host, this.#endpoint, this.#target.timeoutMs))
  }

  #failWith(error: Error): void {
    this.#end(
      findShortageResult(error) ?? this.#toResult(createFailureFromError(error, this.#request.host, this.#endpoint)),
    )
  }

  #finish(failure: CheckFailure | null, note: string | null = null): void {
    this.#responseEndedAt ??= performance.now()
    const responseMs = Math.round(this.#responseEndedAt - this.#startedAt)
    this.#end(this.#toResult(failure ?? findSlowFailure(this.#target.http, responseMs), note))
  }

  #toResult(failure: CheckFailure | null, note: string | null = null): ProbeResult {
    return {
      failure,
      note,
      responseMs: this.#responded ? Math.round((this.#responseEndedAt ?? performance.now()) - this.#startedAt) : null,
      timings: this.#phases.timings,
      httpStatus: this.#httpStatus,
      expiresAt: this.#expiresAt,
      packetLoss: null,
      address: this.#address,
      responded: this.#responded,
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
    this.#bodyReader?.cancel()
    this.#closeConnection()
  }

  #closeConnection(): void {
    this.#exchange?.cancel()
    if (this.#socket !== undefined) closeSocket(this.#socket)
    this.#socket = undefined
    this.#tcpConnection = undefined
  }

  get #endpoint(): string | null {
    return this.#address === null ? null : formatHostPort(this.#address, this.#request.port)
  }
}

/** Returns the failure of a check that succeeded, but took longer than its monitor allows. */
function findSlowFailure({ max_response_ms: maxMs }: HttpTarget['http'], responseMs: number): CheckFailure | null {
  if (maxMs === null || responseMs <= maxMs) return null
  return createFailure('slow', `Response took ${responseMs} ms, expected at most ${maxMs} ms`)
}

type StatusRange = readonly [from: number, to: number]

/**
 * A cache of parsed settings. Most monitors have one of a few settings, and parsing a setting takes longer than looking
 * it up.
 */
const parsedRanges = new BoundedMap<string, StatusRange[]>(1_000)

/** `expected` has the format of the monitor's setting, such as `200-299,301`. */
function isExpectedStatus(status: number, expected: string): boolean {
  let ranges = parsedRanges.get(expected)
  if (ranges === undefined) {
    ranges = expected.split(',').map(parseRange)
    parsedRanges.set(expected, ranges)
  }
  return ranges.some(([from, to]) => status >= from && status <= to)
}

function parseRange(text: string): StatusRange {
  const [from, to = from] = text.split('-').map(Number)
  return [from as number, to as number]
}

/** `200-299,301` → `200–299, 301` */
function formatExpectedStatus(expected: string): string {
  return expected.replaceAll('-', '–').replaceAll(',', ', ')
}
