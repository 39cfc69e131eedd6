/** Sends requests to the server. Every failure becomes an ApiProblem, whose message can be shown to the user. */
import { MAX_MONITORS_PER_REQUEST } from '../../src/shared/limits.ts'
import { TEAM_HEADER } from '../../src/shared/roles.ts'
import { markConnected, markDisconnected, markSignedOut } from './connection.ts'
import { takePrefetched } from './prefetch.ts'

/**
 * Holds the problem details of an error response (RFC 9457). If the server was unreachable or sent no problem details,
 * this module supplies the status, code and message.
 */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** Validation errors by field. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | undefined

  constructor(details: {
    status: number
    code: string
    message: string
    errors?: Record<string, string[]>
    request_id?: string
  }) {
    super(details.message)
    this.status = details.status
    this.code = details.code
    this.errors = details.errors ?? {}
    this.requestId = details.request_id
  }
}

/**
 * Returns what remains of a problem after the user has changed a field. Undefined if the problem was only about that
 * field.
 */
export function withoutFieldErrors(problem: ApiProblem | undefined, field: string): ApiProblem | undefined {
  if (problem === undefined || Object.keys(problem.errors).length === 0) return problem
  // The rule for one field can mention another field, such as "`timeout` must not be greater than `interval`".
  const isAboutField = ([path, messages]: [string, readonly string[]]) =>
    path.split('.').includes(field) || messages.some((message) => message.includes(`\`${field}\``))
  const remaining = Object.entries(problem.errors).filter((entry) => !isAboutField(entry))
  if (remaining.length === 0) return undefined
  const { status, code, message, requestId } = problem
  const errors = Object.fromEntries(remaining.map(([path, messages]) => [path, [...messages]]))
  return new ApiProblem({ status, code, message, errors, ...(requestId && { request_id: requestId }) })
}

export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem({ status: 0, code: 'fault', message: error instanceof Error ? error.message : `${error}` })
}

export const isUnauthenticated = (error: unknown) => error instanceof ApiProblem && error.code === 'unauthenticated'

/** The server also responds with 404 to requests for another user's data. */
export const isNotFound = (error: unknown) => error instanceof ApiProblem && error.status === 404

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[]

/** Omits empty values. An array repeats its parameter. */
export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const item of [value].flat()) {
      if (item !== undefined && item !== null && item !== '') params.append(name, `${item}`)
    }
  }
  const text = params.toString()
  return text === '' ? path : `${path}?${text}`
}

const SESSION_ENDED = 'Your session ended before this was done. Try again.'

let shownTeamId: number | undefined

/** The team that the page shows goes with every request. The server refuses requests once the session acts in another team. */
export function sendShownTeam(id: number | undefined): void {
  shownTeamId = id
}

/** Choosing a team and signing out are possible also from a page that shows another team. */
const needsTeam = (path: string) => shownTeamId !== undefined && !path.startsWith('api/session')

interface RequestOptions {
  accept?: string
  /** A file is sent as it is, everything else as JSON. */
  body?: unknown
  signal?: AbortSignal | undefined
}

async function send(method: Method, path: string, { accept = 'application/json', body, signal }: RequestOptions = {}) {
  let response: Response
  try {
    const prefetched = method === 'GET' ? takePrefetched(path) : undefined
    response = await (prefetched ??
      fetch(new URL(path, document.baseURI), {
        method,
        headers: {
          accept,
          ...(needsTeam(path) && { [TEAM_HEADER]: `${shownTeamId}` }),
          ...(body !== undefined && { 'content-type': body instanceof File ? body.type : 'application/json' }),
        },
        ...(body !== undefined && { body: body instanceof File ? body : JSON.stringify(body) }),
        ...(signal && { signal }),
      }))
  } catch (error) {
    if (signal?.aborted) throw error
    markDisconnected()
    throw new ApiProblem({
      status: 0,
      code: 'unreachable',
      message: "Can't reach the server. Check your connection and try again.",
    })
  }
  markConnected()
  if (response.ok) return response
  const details = await response.json().catch(() => undefined)
  const problem = createUnexpectedResponseProblem(response, details)
  if (!isUnauthenticated(problem)) throw problem
  markSignedOut()
  // The server's message explains API keys. The form still shows this message after the user has signed in again.
  throw new ApiProblem({ status: problem.status, code: problem.code, message: SESSION_ENDED })
}

/** A reverse proxy may respond with something other than problem details or JSON. */
function createUnexpectedResponseProblem({ status }: Response, details?: object): ApiProblem {
  const message = `Unexpected response from the server (status ${status}).`
  return new ApiProblem({ status, code: 'unexpected', message, ...details })
}

async function requestJson<T>(method: Method, path: string, options?: RequestOptions): Promise<T> {
  const response = await send(method, path, options)
  return response.json().catch((error: unknown) => {
    throw options?.signal?.aborted ? error : createUnexpectedResponseProblem(response)
  })
}

export const api = {
  get: <T>(path: string, signal?: AbortSignal) => requestJson<T>('GET', path, { signal }),
  post: <T>(path: string, body?: unknown) => requestJson<T>('POST', path, { body }),
  put: <T>(path: string, body: unknown) => requestJson<T>('PUT', path, { body }),
  putFile: <T>(path: string, file: File) => requestJson<T>('PUT', path, { body: file }),
  patch: <T>(path: string, body: unknown) => requestJson<T>('PATCH', path, { body }),
  delete: <T>(path: string, body?: unknown) => requestJson<T>('DELETE', path, { body }),
  /** The response itself, for downloads that aren't JSON. */
  download: (path: string, accept: string) => send('GET', path, { accept }),
}

/** Envelopes of the API's JSON responses. */
export interface ItemResponse<T> {
  data: T
}
export interface ListResponse<T, M = { total: number }> {
  data: T[]
  meta: M
}

/** The server accepts at most MAX_MONITORS_PER_REQUEST items per request. */
export function splitIntoBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_MONITORS_PER_REQUEST) }, (_, batchIndex) =>
    items.slice(batchIndex * MAX_MONITORS_PER_REQUEST, (batchIndex + 1) * MAX_MONITORS_PER_REQUEST),
  )
}
