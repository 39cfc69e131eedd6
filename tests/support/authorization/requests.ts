/** Sends the requests of the authorization table, and derives the expected responses from it. */
import { type Dispatcher, Pool } from 'undici'
import { type ProblemCode, problems } from '../../../src/lib/problem.ts'
import { type Scope, scopes } from '../../../src/shared/scopes.ts'
import type { ResponseValidator } from '../response-validator.ts'
import { type Expectation, urlOf } from './expectation.ts'
import { expectMember, type Membership } from './membership.ts'
import { outcomes } from './outcomes.ts'
import type { RouteRow, Things } from './table.ts'

export interface MatrixCaller {
  name: string
  /** The caller's line in the outcome tables. */
  kind: string
  /** The scopes of an API key. */
  scopes: readonly Scope[]
  /** Set if the caller is another member of the owner's team. */
  membership?: Membership
  headersFor(row: RouteRow): Promise<Record<string, string>>
}

export interface MatrixResponse {
  status: number
  headers: Record<string, string>
  text: string
}

const requiredScopesOf = ({ rule }: RouteRow) => scopes.filter((scope) => rule.split(' + ').includes(scope))

/** The column of the rule in the outcome tables. A list of scopes, or `any scope`, has the column `scopes`. */
const columnOf = ({ rule }: RouteRow) => (/:(read|write)\b|^any scope$/.test(rule) ? 'scopes' : rule)

/** Whether the route looks at credentials at all. */
export const readsCredentials = ({ rule }: RouteRow) => !['anyone', 'form', 'metrics'].includes(rule)

/** Whether the response can depend on the scopes of a key. */
export const readsScopes = (row: RouteRow) => readsCredentials(row) && row.rule !== 'page'

/** The scopes that a key needs. Rules for statistics don't list any, because a key always needs `websites:read` to read statistics. */
export const neededScopesOf = (row: RouteRow): Scope[] =>
  columnOf(row) === 'scopes' ? requiredScopesOf(row) : ['websites:read']

const allow = (status: number): Expectation => ({ status, missingScopes: [], isAllowed: true })

const deny = (code: ProblemCode, missingScopes: Scope[] = []): Expectation => ({
  status: problems[code].status,
  code,
  missingScopes,
  isAllowed: false,
})

export function expectationFor(row: RouteRow, method: string, caller: MatrixCaller): Expectation {
  const { membership, ...person } = caller
  if (membership === undefined) return expectKind(row, method, caller)
  return expectMember(membership, row, method, (kind) => expectKind(row, method, { ...person, kind }))
}

function expectKind(row: RouteRow, method: string, caller: Omit<MatrixCaller, 'membership'>): Expectation {
  const outcome = outcomes.get(columnOf(row))?.get(caller.kind)
  const missingScopes = neededScopesOf(row).filter((scope) => !caller.scopes.includes(scope))
  switch (outcome) {
    case 'ok':
      return allow(row.status)
    case 'own':
      return row.strangerStatus === 404 ? deny('not_found') : allow(row.strangerStatus)
    case 'read':
      return method === 'GET' ? allow(row.status) : deny('forbidden')
    case 'scope':
      return missingScopes.length === 0 ? allow(row.status) : deny('missing_scope', missingScopes)
    case 'scope/404':
      return missingScopes.length === 0 ? allow(row.status) : deny('not_found')
    case 'password':
      return deny('password_required')
    case '401':
      return deny('unauthenticated')
    case '403':
      return deny('forbidden')
    case '404':
      return deny('not_found')
    default:
      throw new Error(`The table has no outcome for ${caller.kind} and the rule ${row.rule}.`)
  }
}

type Privacy = keyof Things['websiteIds']

/** The privacy of the website that the request is about. */
const privacyOf = ({ rule }: RouteRow): Privacy => (/(public|locked)$/.exec(rule)?.[1] as Privacy) ?? 'private'

function idFor(url: string, row: RouteRow, things: Things): number {
  if (url.startsWith('/api/v1/')) return things.websiteIds[privacyOf(row)]
  if (url.startsWith('/api/incidents')) return things.incidentId
  if (url.startsWith('/api/maintenances')) return things.maintenanceId
  if (url.startsWith('/api/status-pages')) return things.statusPageId
  if (url.startsWith('/api/status-post-templates')) return things.postTemplateId
  if (url.startsWith('/api/providers')) return things.channelId
  if (url.startsWith('/api/keys')) return things.keyId
  if (url.startsWith('/api/users')) return things.userId
  if (url.startsWith('/api/teams')) return things.teamId
  if (url.startsWith('/api/sessions')) return things.sessionId
  if (url.startsWith('/api/account/passkeys')) return things.passkeyId
  return things.monitorId
}

export function pathFor(row: RouteRow, things: Things): string {
  const url = urlOf(row)
  const path = url
    .replace(/:domain\(.*\$\)/, things.domains[privacyOf(row)])
    .replace(':slug', (slug) => (row.rule.startsWith('status ') ? things.slugs[privacyOf(row)] : slug))
    .replace(/:id(\(.*?\))?/, String(idFor(url, row, things)))
    .replace(/:post(?:_id|\(.*?\))/, String(things.postId))
    .replace(':user_id', String(things.memberId))
    .replace(':invitation_id', String(things.invitationId))
    .replace(':note_id', String(things.noteId))
    .replace(':update_id', String(things.postUpdateId))
    .replace(':subscriber_id', String(things.subscriberId))
    .replace('*', 'none.js')
  return path + (typeof row.query === 'string' ? row.query : row.query(things))
}

/** Sends thousands of requests, so it uses undici's own interface, which takes a third of the time of `fetch`. */
export class MatrixClient {
  readonly #httpConnections: Pool
  readonly #validator: ResponseValidator

  constructor(address: string, validator: ResponseValidator) {
    this.#httpConnections = new Pool(address, { connections: 16 })
    this.#validator = validator
  }

  async send(row: RouteRow, method: string, headers: Record<string, string>, things: Things): Promise<MatrixResponse> {
    const path = pathFor(row, things)
    const response = await this.#request(row, method, headers, things)
    const { statusCode: status } = response
    const responseHeaders = response.headers as Record<string, string>
    const contentType = responseHeaders['content-type'] ?? ''
    const text = await readText(response, contentType)
    const body = /json/.test(contentType) && text !== '' ? JSON.parse(text) : undefined
    this.#validator.validate(method, path.split('?', 1)[0] ?? '', { status, contentType, body })
    return { status, headers: responseHeaders, text }
  }

  /** Sends the request and ignores the response. */
  async sendUnchecked(row: RouteRow, method: string, headers: Record<string, string>, things: Things): Promise<void> {
    const response = await this.#request(row, method, headers, things)
    await readText(response, String(response.headers['content-type'] ?? ''))
  }

  #request(row: RouteRow, method: string, headers: Record<string, string>, things: Things) {
    const json = row.body && JSON.stringify(row.body(things))
    return this.#httpConnections.request({
      method: method as Dispatcher.HttpMethod,
      path: pathFor(row, things),
      headers: { accept: 'text/html', ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: json ?? null,
    })
  }

  close(): Promise<void> {
    return this.#httpConnections.close()
  }
}

/** Ignores files, and streams of server-sent events, which have no end. */
async function readText({ body }: Dispatcher.ResponseData, contentType: string): Promise<string> {
  if (/json|html/.test(contentType)) return body.text()
  if (contentType.startsWith('text/event-stream')) body.on('error', () => {}).destroy()
  else await body.dump()
  return ''
}

/** Describes a response as the table would: `200`, `404 not_found`, `403 missing_scope monitors:read`. */
export function describeResponse({ status, text }: MatrixResponse, { code }: Expectation): string {
  // An HTML page, which browsers get, has no code. The code of an allowed request doesn't matter: it can fail for other reasons.
  if (code === undefined || !text.startsWith('{')) return String(status)
  const problem = JSON.parse(text) as { code: string; detail: string }
  const namedScopes = problem.code === 'missing_scope' ? scopes.filter((scope) => problem.detail.includes(scope)) : []
  return [status, problem.code, ...namedScopes].join(' ')
}

export function describeExpectation({ status, code, missingScopes }: Expectation, { text }: MatrixResponse): string {
  if (code === undefined || !text.startsWith('{')) return String(status)
  return [status, code, ...missingScopes].join(' ')
}

/** Returns a response without the parts that differ between any two requests. If it repeats ids of the request, they become zeros. */
export function toComparable({ status, headers, text }: MatrixResponse, repeatsIds: boolean) {
  const { date: _, 'x-request-id': requestId = '', 'content-length': length, ...otherHeaders } = headers
  const body = text.replaceAll(requestId, '')
  if (repeatsIds) return { status, headers: otherHeaders, body: body.replaceAll(/\d+/g, '0') }
  return { status, headers: { ...otherHeaders, length }, body }
}
