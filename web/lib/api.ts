/** Asks the server. Whatever goes wrong is a Problem that can be shown. */
import { markDisconnected, markConnected, markSignedOut } from './connection.ts'

/** As the server tells it (RFC 9457), or as we must where it could not be reached. */
export class ApiProblem extends Error {
  readonly status: number
  readonly code: string
  /** By field, where a body was refused. */
  readonly errors: Readonly<Record<string, readonly string[]>>
  readonly requestId: string | undefined

  constructor(about: {
    status: number
    code: string
    message: string
    errors?: Record<string, string[]>
    request_id?: string
  }) {
    super(about.message)
    this.status = about.status
    this.code = about.code
    this.errors = about.errors ?? {}
    this.requestId = about.request_id
  }
}

/** Whatever was thrown, as something that can be shown. */
export function toApiProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error
  return new ApiProblem({ status: 0, code: 'fault', message: error instanceof Error ? error.message : `${error}` })
}

/** Nobody is signed in, or no longer. */
export const isUnauthenticated = (error: unknown) => error instanceof ApiProblem && error.code === 'unauthenticated'

/** There is nothing there, or it is somebody else's. */
export const isNotFound = (error: unknown) => error instanceof ApiProblem && error.status === 404

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number)[]

/** Leaves out what is not set; a list repeats its name. */
export function withQuery(path: string, query: Record<string, QueryValue>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== null && one !== '') params.append(name, `${one}`)
  }
  const text = params.toString()
  return text === '' ? path : `${path}?${text}`
}

interface Request {
  accept?: string
  body?: unknown
  signal?: AbortSignal | undefined
}

async function send(method: Method, path: string, { accept = 'application/json', body, signal }: Request = {}) {
  let response: Response
  try {
    response = await fetch(new URL(path, document.baseURI), {
      method,
      headers: { accept, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    markDisconnected()
    throw new ApiProblem({ status: 0, code: 'unreachable', message: 'The server cannot be reached.' })
  }
  markConnected()
  if (response.ok) return response
  const answer = await response.json().catch(() => undefined)
  if (answer?.code === 'unauthenticated') markSignedOut()
  throw unexpected(response, answer)
}

/** A proxy in between may answer anything. */
function unexpected({ status }: Response, answer?: object): ApiProblem {
  return new ApiProblem({ status, code: 'unexpected', message: `The server answered ${status}.`, ...answer })
}

async function requestJson<T>(method: Method, path: string, request?: Request): Promise<T> {
  const response = await send(method, path, request)
  return response.json().catch((error: unknown) => {
    throw request?.signal?.aborted ? error : unexpected(response)
  })
}

export const api = {
  get: <T>(path: string, signal?: AbortSignal) => requestJson<T>('GET', path, { signal }),
  post: <T>(path: string, body?: unknown) => requestJson<T>('POST', path, { body }),
  put: <T>(path: string, body: unknown) => requestJson<T>('PUT', path, { body }),
  delete: <T>(path: string, body?: unknown) => requestJson<T>('DELETE', path, { body }),
  /** As it is, not as JSON. */
  file: (path: string, accept: string) => send('GET', path, { accept }),
}

/** How one thing and a list of them are answered. */
export interface ItemResponse<T> {
  data: T
}
export interface ListResponse<T, M = { total: number }> {
  data: T[]
  meta: M
}
