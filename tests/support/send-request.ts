/** Sends one HTTP request through Node's own client, which takes a third of the processor time of `fetch`. */
import { request } from 'node:http'

export interface RawResponse {
  status: number
  headers: Headers
  text: string
}

export interface RequestOptions {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array | undefined
}

/** Doesn't follow redirects. Connections are kept open and reused. */
export function sendRequest(url: string, { method, headers, body }: RequestOptions): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers: withLength(method, headers, body) }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: toHeaders(incoming.rawHeaders),
          text: Buffer.concat(chunks).toString(),
        }),
      )
    })
    clientRequest.on('error', reject)
    clientRequest.end(body)
  })
}

/** Adds the same headers as `fetch`: the length of the body, which is 0 for a POST or PUT without a body. */
function withLength(method: string, headers: Record<string, string>, body: RequestOptions['body']) {
  if (body === undefined && method !== 'POST' && method !== 'PUT') return headers
  return { ...headers, 'content-length': String(body === undefined ? 0 : Buffer.byteLength(body)) }
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers()
  for (let n = 0; n + 1 < rawHeaders.length; n += 2) headers.append(rawHeaders[n] ?? '', rawHeaders[n + 1] ?? '')
  return headers
}
