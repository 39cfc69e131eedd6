/**
 * The database with three groups of connections, so that none of them waits for another: for requests, for storing events,
 * and for work in the background. Rights on rows never belong to a connection: every transaction sets its own. So a pooler that
 * gives a session to another caller can't pass them on.
 */
import type pg from 'pg'
import { notFound } from '../lib/problem.ts'
import type { Right } from '../shared/roles.ts'
import type { DatabaseRoles } from './access.ts'
import type { Row, Statement, StatementResult } from './batch.ts'
import type { ConnectionGroups, GroupName } from './connection-groups.ts'
import type { ConnectionPools } from './connection-pools.ts'
import type { PoolUsage } from './pool-usage.ts'
import {
  type ChangeOrigin,
  enterAcrossUsers,
  enterAs,
  enterAsVisitor,
  enterForStatistics,
  Tenant,
  type TenantId,
} from './tenant.ts'
import type { Queries, TransactionQueries } from './transaction.ts'

export class Database implements Queries {
  readonly roles: DatabaseRoles
  readonly #requestRole: string | null
  readonly #groups: ConnectionGroups
  readonly #pools: ConnectionPools
  readonly #groupName: GroupName
  readonly #origin: ChangeOrigin | undefined
  readonly #enterAcrossUsers: Statement

  constructor(
    groups: ConnectionGroups,
    roles: DatabaseRoles,
    groupName: GroupName = 'requests',
    origin: ChangeOrigin | undefined = undefined,
  ) {
    this.roles = roles
    this.#requestRole = roles.requestRole ?? null
    this.#groups = groups
    this.#pools = groups.get(groupName)
    this.#groupName = groupName
    this.#origin = origin
    this.#enterAcrossUsers = enterAcrossUsers(origin)
  }

  /** Returns the same database, with the connections of another group. */
  on(groupName: GroupName): Database {
    return new Database(this.#groups, this.roles, groupName, this.#origin)
  }

  /** Returns the same database. The audit log records this origin with changes that are made across users. */
  recordingOrigin(origin: ChangeOrigin): Database {
    return new Database(this.#groups, this.roles, this.#groupName, origin)
  }

  /** The database as one caller sees it. */
  as(id: TenantId): Tenant {
    return new Tenant(this.#pools, enterAs(id, this.#requestRole), id)
  }

  /** The database as the caller sees it in another team. Without membership, the team looks as if it didn't exist. */
  inTeam(id: TenantId, teamId: number, right: Right): Tenant {
    return new Tenant(this.#pools, enterAs({ ...id, teamId }, this.#requestRole), id, { right, notMember: notFound })
  }

  /** The traffic of one website, as the members of its team see it. */
  asMember(id: TenantId, websiteId: number): Tenant {
    const refusals = { ended: notFound, notMember: notFound }
    return new Tenant(this.#pools, enterForStatistics(id, websiteId, this.#requestRole), id, refusals)
  }

  /** The traffic of one website, as an anonymous visitor sees it. */
  asVisitor(teamId: number, websiteId: number): Tenant {
    const refusals = { ended: notFound, notMember: notFound }
    return new Tenant(this.#pools, enterAsVisitor(teamId, websiteId, this.#requestRole), undefined, refusals)
  }

  /** Runs a statement with access to all users' rows, in tables that have an `across_users` policy in migrations/access. */
  async query<R extends Row = Row>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.batch({ text, values }))[0]?.rows as R[]
  }

  async batch(...statements: Statement[]): Promise<StatementResult[]> {
    const [, ...results] = await this.#pools.run([this.#enterAcrossUsers, ...statements])
    return results
  }

  /** Like `query`, for a request that has already waited and may wait only `timeoutMs` longer. */
  async queryWithin<R extends Row = Row>(timeoutMs: number, text: string, values: readonly unknown[]): Promise<R[]> {
    const [, result] = await this.#pools.run([this.#enterAcrossUsers, { text, values }], timeoutMs)
    return result?.rows as R[]
  }

  /** Like `query`, for an idempotent statement: after the loss of a connection, it runs again. */
  async queryRepeatable<R extends Row = Row>(text: string, values: readonly unknown[]): Promise<R[]> {
    const [, result] = await this.#pools.runRepeatable([this.#enterAcrossUsers, { text, values }])
    return result?.rows as R[]
  }

  /** Repeats `work` after a deadlock, so `work` must have no side effects outside the database. */
  transaction<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    return this.#pools.transaction({ openingStatements: [this.#enterAcrossUsers] }, work)
  }

  /** Runs `work` in a read-only transaction in which every statement sees the same state. */
  snapshot<T>(work: (queries: TransactionQueries) => Promise<T>): Promise<T> {
    return this.#pools.transaction({ openingStatements: [this.#enterAcrossUsers], isSnapshot: true }, work)
  }

  /** Lends a connection without any rights on rows, for COPY and anything else that isn't a plain query. */
  withConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#pools.withClient(work)
  }

  /** How busy the connections of each group are. */
  listPoolUsage(): [GroupName, PoolUsage][] {
    return this.#groups.listUsage()
  }

  /** Whether PostgreSQL recently refused to write because its disk is full. */
  get isDiskFull(): boolean {
    return this.#groups.isDiskFull
  }

  /** Rejects with a Problem unless the database accepts writes. */
  requireWritable(): Promise<void> {
    return this.#groups.requireWritable()
  }

  async close(): Promise<void> {
    await this.#groups.close()
  }
}
