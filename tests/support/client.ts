/** An HTTP client for one caller. It validates every response against the OpenAPI document. */
import type { ResponseValidator } from './response-validator.ts'
import { sendRequest } from './send-request.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses without types
type Json = any

export interface ClientResponse {
  status: number
  headers: Headers
  body: Json
  text: string
}

export interface Credentials {
  key?: string
  cookie?: string
}

export interface CallOptions {
  json?: unknown
  form?: Record<string, string | string[]> | string
  body?: string | Uint8Array
  headers?: Record<string, string>
}

function encodeForm(form: Record<string, string | string[]> | string): string {
  if (typeof form === 'string') return form
  return new URLSearchParams(
    Object.entries(form).flatMap(([name, value]) => [value].flat().map((item) => [name, item])),
  ).toString()
}

function encodeBody({ json, form, body }: CallOptions) {
  if (json !== undefined) return { body: JSON.stringify(json), contentType: 'application/json' }
  if (form !== undefined) return { body: encodeForm(form), contentType: 'application/x-www-form-urlencoded' }
  return { body, contentType: undefined }
}

/** Converts names to lower case, so that a request can't contain the same header in two spellings. */
const lowerCaseNames = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

export class Client {
  readonly #address: string
  readonly #validator: ResponseValidator
  readonly credentials: Credentials

  constructor(address: string, validator: ResponseValidator, credentials: Credentials = {}) {
    this.#address = address
    this.#validator = validator
    this.credentials = credentials
  }

  as(credentials: Credentials): Client {
    return new Client(this.#address, this.#validator, credentials)
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<ClientResponse> {
    const { body, contentType: sentType } = encodeBody(options)
    const { status, headers, text } = await sendRequest(this.#address + path, {
      method,
      headers: {
        ...lowerCaseNames({ 'user-agent': 'node', accept: '*/*', ...options.headers }),
        ...(this.credentials.key && { authorization: `Bearer ${this.credentials.key}` }),
        ...(this.credentials.cookie && { cookie: `belfry_session=${this.credentials.cookie}` }),
        ...(sentType !== undefined && { 'content-type': sentType }),
      },
      body,
    })
    const contentType = headers.get('content-type') ?? ''
    const parsedBody = /json/.test(contentType) && text !== '' ? JSON.parse(text) : undefined
    this.#validator.validate(method, path.split('?', 1)[0] ?? '', { status, contentType, body: parsedBody })
    return { status, headers, body: parsedBody, text }
  }

  get(path: string, options?: CallOptions) {
    return this.call('GET', path, options)
  }

  post(path: string, json?: unknown, options?: CallOptions) {
    return this.call('POST', path, { ...options, ...(json !== undefined && { json }) })
  }

  put(path: string, json?: unknown, options?: CallOptions) {
    return this.call('PUT', path, { ...options, ...(json !== undefined && { json }) })
  }

  delete(path: string, options?: CallOptions) {
    return this.call('DELETE', path, options)
  }
}

/** Returns the session token that a response sets. */
export function parseSessionCookie(
  response: Pick<ClientResponse, 'headers'> & Partial<ClientResponse>,
): string | undefined {
  return /belfry_session=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1]
}
