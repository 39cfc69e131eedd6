/**
 * One check of type dns. Repeats the query while no response arrives, asks the next server of the machine if one fails, and
 * switches to TCP if the response does not fit into a UDP packet, all within one timeout.
 */
import { formatHostPort } from '../../../lib/network-address.ts'
import type { DnsOptions } from '../../../monitors/option-schemas.ts'
import type { Guard } from '../../../outgoing/guard.ts'
import { createFailure, createFailureFromError, findShortageResult, toPlainDetail } from '../failure.ts'
import { type CheckFailure, emptyResult, type Inconclusive, noTimings, type ProbeResult } from '../probe.ts'
import type { CheckDone, RunningCheck } from '../running-checks.ts'
import type { DnsServer, TcpExchange } from './exchange.ts'
import type { DnsResponse } from './message.ts'
import { findMismatch, formatRecords, listRecords } from './records.ts'
import { type InvalidResponse, ServerQuery } from './server-query.ts'

export interface DnsServers {
  /** Whether these are the servers that this machine is configured with. If they don't respond, the problem is ours. */
  isSystem: boolean
  guard: Guard
  list: readonly DnsServer[]
}

interface DnsQuestion {
  name: string
  timeoutMs: number
  options: DnsOptions
}

/** How long to wait for a response before the first query is repeated. The time doubles with each repetition. */
const FIRST_RETRY_DELAY_MS = 1_000

export class DnsCheck implements RunningCheck {
  readonly #question: DnsQuestion
  readonly #servers: DnsServers
  readonly #done: CheckDone
  readonly #startedAt = performance.now()
  readonly #queries: ServerQuery[] = []
  #sentCount = 0
  #timer: NodeJS.Timeout | undefined
  #retryTimer: NodeJS.Timeout | undefined
  #tcpExchange: TcpExchange | undefined
  #server: DnsServer | undefined
  /**
   * The failure to report if all servers fail. The error response of a server takes precedence over a failed
   * connection.
   */
  #lastFailure: DnsResponse | Error | undefined
  #isDone = false

  constructor(question: DnsQuestion, servers: DnsServers, done: CheckDone) {
    this.#question = question
    this.#servers = servers
    this.#done = done
  }

  start(): void {
    this.#timer = setTimeout(() => this.#run(() => this.#handleTimeout()), this.#question.timeoutMs)
    this.#run(() => {
      const refusal = this.#findRefusal()
      if (refusal !== undefined) this.#fail(createFailureFromError(refusal, '', null))
      else if (this.#servers.list.length === 0) this.#endWithoutServer('has no DNS server: set one in /etc/resolv.conf')
      else this.#sendNext()
    })
  }

  stop(): void {
    this.#end({ inconclusive: 'The Belfry server stopped during the check' })
  }

  /** Wraps every callback. An exception in `work` is our bug, so it is passed to the caller of the check. */
  #run(work: () => void): void {
    if (this.#isDone) return
    try {
      work()
    } catch (error) {
      if (this.#isDone) throw error
      this.#cleanUp()
      this.#done(error as Error, { inconclusive: '' })
    }
  }

  #findRefusal(): Error | undefined {
    if (this.#servers.isSystem) return undefined
    try {
      for (const { address } of this.#servers.list) this.#servers.guard.vetNumeric(address)
      return undefined
    } catch (refusal) {
      return refusal as Error
    }
  }

  /** Asks the servers in turn. Repeated queries to a server use the same socket. */
  #sendNext(): void {
    clearTimeout(this.#retryTimer)
    const { list } = this.#servers
    for (let skippedCount = 0; skippedCount < list.length; skippedCount++) {
      const index = this.#sentCount++ % list.length
      this.#queries[index] ??= this.#openQuery(list[index] as DnsServer)
      const query = this.#queries[index] as ServerQuery
      if (query.hasFailed) continue
      this.#server = query.server
      query.send({ asksWhetherAlive: this.#servers.isSystem && this.#sentCount > 1 })
      const firstDelayMs = Math.min(FIRST_RETRY_DELAY_MS, this.#question.timeoutMs / 4)
      this.#retryTimer = setTimeout(() => this.#run(() => this.#sendNext()), firstDelayMs * 2 ** (this.#sentCount - 1))
      return
    }
    this.#conclude()
  }

  #openQuery(server: DnsServer): ServerQuery {
    const { name, options } = this.#question
    const query = new ServerQuery(
      this.#servers.guard,
      server,
      { name, type: options.record },
      {
        onResponse: (response) => this.#run(() => this.#handleResponse(query, response)),
        onInvalid: (problem) => this.#run(() => this.#handleInvalid(problem)),
        onError: (error) => this.#run(() => this.#handleError(query, error)),
      },
    )
    return query
  }

  #handleResponse(query: ServerQuery, response: DnsResponse): void {
    this.#server = query.server
    // A response over TCP is complete, even if it is marked as truncated.
    if (response.isTruncated && this.#tcpExchange === undefined) this.#askOverTcp(query)
    else if (isServerFailure(response)) this.#handleFailedServer(query, response)
    else this.#finish(response)
  }

  #handleError(query: ServerQuery, error: Error): void {
    const shortage = findShortageResult(error)
    if (shortage !== undefined) this.#end(shortage)
    else this.#handleFailedServer(query, error)
  }

  #handleFailedServer(query: ServerQuery, failure: DnsResponse | Error): void {
    query.hasFailed = true
    this.#server = query.server
    // The error code of one server says more than the fact that another server is unreachable.
    if (!(failure instanceof Error) || this.#lastFailure === undefined) this.#lastFailure = failure
    if (this.#tcpExchange === undefined) this.#sendNext()
    else this.#conclude()
  }

  #askOverTcp(query: ServerQuery): void {
    clearTimeout(this.#retryTimer)
    for (const openQuery of this.#queries) openQuery?.close()
    this.#tcpExchange = query.askOverTcp()
  }

  #handleInvalid(problem: InvalidResponse): void {
    if (this.#servers.isSystem) this.#endWithoutServer(`got a response that is ${problem} from its DNS server`)
    else this.#fail(createFailure('dns', `${this.#serverName} sent a response that is ${problem}`), true)
  }

  #handleTimeout(): void {
    const { name, timeoutMs } = this.#question
    const limit = `${timeoutMs / 1000} s`
    const invalidResponse = this.#queries.find((query) => query?.invalidResponse !== undefined)?.invalidResponse
    if (this.#lastFailure !== undefined) this.#conclude()
    else if (invalidResponse !== undefined) this.#handleInvalid(invalidResponse)
    else if (!this.#servers.isSystem) {
      const transport = this.#tcpExchange === undefined ? '' : ' over TCP'
      this.#fail(createFailure('timeout', `${this.#serverName} did not respond${transport} within ${limit}`))
    } else if (this.#queries.some((query) => query?.isAlive === true)) {
      this.#fail(createFailure('timeout', `${this.#serverName} got no answer for ${name} within ${limit}`))
    } else this.#endWithoutServer(`got no response from its DNS server within ${limit}`)
  }

  /** Ends the check when all servers have failed. */
  #conclude(): void {
    const failure = this.#lastFailure
    if (failure === undefined) return
    if (!(failure instanceof Error)) this.#finish(failure)
    else if (this.#servers.isSystem) this.#endWithoutServer("can't reach its DNS server")
    else {
      const { address, port } = this.#server as DnsServer
      this.#fail(createFailureFromError(failure, address, formatHostPort(address, port)))
    }
  }

  #finish(response: DnsResponse): void {
    const { name, options } = this.#question
    const { failure, note } = evaluateResponse(response, name, options, this.#serverName)
    // A resolver of this machine also fails if it can't reach other servers, so its error response doesn't show that
    // our network is up.
    const responded = !(this.#servers.isSystem && isServerFailure(response))
    this.#end(this.#toResult(failure, note, responded))
  }

  #fail(failure: CheckFailure, responded = false): void {
    this.#end(this.#toResult(failure, null, responded))
  }

  #endWithoutServer(problem: string): void {
    this.#end({ inconclusive: `Check couldn't run: the Belfry server ${problem}` })
  }

  /** The address of the machine's own server is not shown to users. */
  get #serverName(): string {
    if (this.#servers.isSystem || this.#server === undefined) return "Belfry's DNS server"
    const { address, port } = this.#server
    return `DNS server ${port === 53 ? address : formatHostPort(address, port)}`
  }

  #toResult(failure: CheckFailure | null, note: string | null, responded: boolean): ProbeResult {
    const elapsedMs = Math.round(performance.now() - this.#startedAt)
    return {
      ...emptyResult,
      failure,
      note,
      responseMs: responded ? elapsedMs : null,
      timings: { ...noTimings, dnsMs: responded ? elapsedMs : null },
      address: this.#server?.address ?? null,
      responded,
    }
  }

  #end(result: ProbeResult | Inconclusive): void {
    this.#cleanUp()
    this.#done(undefined, result)
  }

  #cleanUp(): void {
    this.#isDone = true
    clearTimeout(this.#timer)
    clearTimeout(this.#retryTimer)
    for (const query of this.#queries) query?.close()
    this.#tcpExchange?.close()
  }
}

/** Whether the server could not answer. NOERROR and NXDOMAIN are answers about the name. */
const isServerFailure = ({ code }: DnsResponse) => code !== 'NOERROR' && code !== 'NXDOMAIN'

/** Turns a response into the result of the check. On success, `note` names the records. */
function evaluateResponse(
  response: DnsResponse,
  name: string,
  options: DnsOptions,
  serverName: string,
): { failure: CheckFailure | null; note: string | null } {
  const { code, answers } = response
  const records = code === 'NOERROR' ? listRecords(answers, name, options.record) : []
  const problem =
    describeErrorCode(code, name, serverName) ??
    (records.length === 0 ? `${name} has no ${options.record} records` : findMismatch(records, options))
  if (problem !== undefined) return { failure: createFailure('dns', problem), note: null }
  return { failure: null, note: toPlainDetail(`${options.record}: ${formatRecords(records)}`) }
}

function describeErrorCode(code: string, name: string, serverName: string): string | undefined {
  switch (code) {
    case 'NOERROR':
      return undefined
    case 'NXDOMAIN':
      return `${name} does not exist (NXDOMAIN)`
    case 'SERVFAIL':
      return `${serverName} could not resolve ${name} (SERVFAIL)`
    case 'REFUSED':
      return `${serverName} refused to resolve ${name} (REFUSED)`
    default:
      return `${serverName} responded with an error for ${name} (${code})`
  }
}
