/** The database as one caller sees it: every round trip begins with a statement that sets the caller. */
import pg from 'pg'
import { Problem } from '../lib/problem.ts'
import { type CallerRole, hasRight, type Right } from '../shared/roles.ts'
import type { Row, Statement, StatementResult } from './batch.ts'
import type { ConnectionPools } from './connection-pools.ts'
import type { Queries, TransactionQueries } from './transaction.ts'

/** The PostgreSQL role that the statements of a request run as; null if our login can't create roles. See `DatabaseRoles`. */
type RequestRole = string | null

/** Where a change comes from. The audit log records it, see migrations/access. */
export interface ChangeOrigin {
  /** The name of the command, if one makes the change. */
  command?: string
  ip?: string
  request_id?: string
}

export interface TenantId {
  /** The team whose things the caller works on. In tables, the column `user_id` contains it. */
  teamId: number
  /** The person who calls, or who created the API key that calls. */
  userId: number
  keyId: number | null
  sessionId: number | null
  /** What the request needs. The default is `read`. */
  right?: Right
  /**
   * Whether the database has found the key or session during this request. If the caller comes from a cache, the key
   * may be revoked and the session may have ended.
   */
  isConfirmed?: boolean
  /** Set if the request can change something. Reads don't need it, so it costs them nothing. */
  origin?: ChangeOrigin
}

/** Sets the caller: a member of a team, with the key or session they authenticated with. */
export function enterAs(tenant: TenantId, requestRole: RequestRole): Statement {
  const { keyId, origin } = tenant
  const { call, values } = callEnter(tenant, requestRole)
  if (origin === undefined) return { text: `select ${call} as role`, values }
  // The function comes first, because it drops what an earlier caller may have set.
  const text = `select role, set_config('belfry.audit', $5, true) from ${call} as role`
  return { text, values: [...values, JSON.stringify(keyId === null ? origin : { ...origin, key: keyId })] }
}

/** Sets the caller to a member of a website's team, and gives access to its statistics. The role is null if the caller can't read them. */
export function enterForStatistics(tenant: TenantId, websiteId: number, requestRole: RequestRole): Statement {
  const { call, values } = callEnter(tenant, requestRole)
  return {
    text: `select case when open_statistics($5) then role end as role from ${call} as role`,
    values: [...values, websiteId],
  }
}

function callEnter({ teamId, userId, keyId, sessionId }: TenantId, requestRole: RequestRole) {
  const isKey = keyId !== null
  return {
    call: isKey ? 'enter_by_key($1, $2, $3, $4)' : 'enter_by_session($1, $2, $3, $4)',
    values: [teamId, userId, isKey ? keyId : sessionId, requestRole],
  }
}

/**
 * Gives an anonymous visitor access to the statistics of a website that isn't private. The function in the database has its name from before
 * teams had guests. A visitor may only read, as a guest may.
 */
export function enterAsVisitor(teamId: number, websiteId: number, requestRole: RequestRole): Statement {
  const text = `select case when open_statistics_to_guest($1, $2, $3) then 'guest' end as role`
  return { text, values: [teamId, websiteId, requestRole] }
}

/** Gives access to the rows of all users, in tables that have an `across_users` policy in migrations/access. */
export function enterAcrossUsers(origin?: ChangeOrigin): Statement {
  if (origin === undefined) return enterAcrossUsersStatement
  const text = `select enter_across_users(), set_config('belfry.audit', $1, true)`
  return { text, values: [JSON.stringify(origin)] }
}

const enterAcrossUsersStatement: Statement = { text: 'select enter_across_users()' }

/**
 * `query` and `batch` send their statements together with the one that sets the caller. If the caller's key or session
 * is no longer valid, a select, update or delete finds no rows, but an insert would fail with a database error. So
 * insert in a transaction, which checks the caller before it sends anything else.
 */
export class Tenant implements Queries {
  readonly #pools: ConnectionPools
  readonly #enterStatement: Statement
  readonly #id: TenantId | undefined
  readonly #right: Right
  readonly #refusals: Refusals

  /** `id` is undefined for an anonymous visitor. */
  constructor(
    pools: ConnectionPools,
    enterStatement: Statement,
    id: TenantId | undefined,
    { right = id?.right ?? 'read', ...refusals }: Partial<Refusals> & { right?: Right } = {},
  ) {
    this.#pools = pools
    this.#enterStatement = enterStatement
    this.#id = id
    this.#right = right
    this.#refusals = { ended: credentialEndedProblem, notMember: notMemberProblem, ...refusals }
  }

  /**
   * Throws if the caller's key or session is no longer valid. Call it before anything that has an effect outside the
   * database. Sends nothing if the database has already found the key or session.
   */
  async confirm(): Promise<void> {
    if (this.#id?.isConfirmed !== true) await this.batch()
  }

  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    const [result] = await this.batch({ text, values })
    return result?.rows as R[]
  }

  async batch(...statements: Statement[]): Promise<StatementResult[]> {
    const batch = [this.#enterStatement, ...statements]
    const [enterResult, ...results] = await this.#pools.run(batch).catch(rethrowDeniedWrite)
    this.#requireEntered(enterResult)
    return results
  }

  /** Repeats `work` after a deadlock, so `work` must have no side effects outside the database. */
  async transaction<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    try {
      return await this.#inTransaction(work)
    } catch (error) {
      if (isCausedByDeletedTeam(error)) throw credentialEndedProblem(error)
      return rethrowDeniedWrite(error)
    }
  }

  /**
   * Runs `work` in a read-only transaction in which every statement sees the same state. `work` begins before the caller is checked. If the
   * caller is refused, `work` sees at most rows that the caller may read, often none, and its result is dropped. So `work` must not conclude
   * from missing rows, in a cache for example, that they don't exist.
   */
  snapshot<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    return this.#inTransaction(work, { isSnapshot: true })
  }

  #inTransaction<T>(work: (queries: TransactionQueries) => Promise<T>, { isSnapshot = false } = {}): Promise<T> {
    const checkOpeningResults = ([enterResult]: StatementResult[]) => this.#requireEntered(enterResult)
    return this.#pools.transaction({ openingStatements: [this.#enterStatement], checkOpeningResults, isSnapshot }, work)
  }

  #requireEntered(result: StatementResult | undefined): void {
    const role: CallerRole | null | undefined = result?.rows[0]?.['role']
    if (role === null || role === undefined) throw this.#refusals.ended()
    if (this.#id !== undefined) this.#id.isConfirmed = true
    if (!hasRight(role, this.#right)) {
      if (role === 'none') throw this.#refusals.notMember()
      throw role === 'weak' ? secondFactorProblem() : createRoleProblem(role)
    }
  }
}

/** The problems of callers who can't use the team. */
interface Refusals {
  /** The key or session has ended. */
  ended(): Problem
  /** The session is valid, but its user is not a member of the team. */
  notMember(): Problem
}

/** Whether the team was deleted during the transaction, so that the new row violates its foreign key to teams. */
function isCausedByDeletedTeam(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /_user_id_fkey$/.test(error.constraint ?? '')
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** Row level security has refused to insert a row: the caller may read the team's rows, but not change them. */
function rethrowDeniedWrite(error: unknown): never {
  const isDenied =
    error instanceof pg.DatabaseError &&
    error.code === INSUFFICIENT_PRIVILEGE &&
    error.message.includes('row-level security')
  throw isDenied ? new RoleProblem("Your role in this team doesn't allow this.", { cause: error }) : error
}

/** The caller belongs to the team, but their role doesn't allow the request. */
export class RoleProblem extends Problem {
  constructor(detail: string, options?: ErrorOptions) {
    super('forbidden', detail, options)
  }
}

type MemberRole = Exclude<CallerRole, 'none' | 'weak'>

const roleNames: Record<MemberRole, string> = {
  owner: 'an owner',
  admin: 'an admin',
  editor: 'an editor',
  viewer: 'a viewer',
  guest: 'a guest',
  'guest editor': 'a guest',
}

function secondFactorProblem(): Problem {
  return new Problem('second_factor_required', 'This team requires a second factor. Set one up under "Security".')
}

function createRoleProblem(role: MemberRole): Problem {
  return new RoleProblem(`You are ${roleNames[role]} of this team, which doesn't allow this.`)
}

function notMemberProblem(): Problem {
  return new Problem('forbidden', 'You are not a member of this team any more.')
}

function credentialEndedProblem(cause?: unknown): Problem {
  return new Problem('unauthenticated', 'The API key or session has ended.', { cause })
}
