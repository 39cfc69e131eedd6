/** The live nodes and their roles, as of the last heartbeat of this process. Reports roles that no live node has. */
import { type Role, roles } from '../config/config.ts'
import { unavailable } from '../lib/problem.ts'
import type { LiveLease } from './store.ts'

/** A role without a live node is reported after this time. A restart takes less. */
const MAX_ROLE_ABSENCE_MS = 15_000

/** The role web isn't listed: without a web node, no page loads, so nobody needs a report to notice. */
const missingRoleSentences = {
  checker: 'No live node has the role checker: no checks run. Start one with BELFRY_ROLES=checker.',
  worker: 'No live node has the role worker: no alerts or reports are sent. Start one with BELFRY_ROLES=worker.',
} as const

export class Cluster {
  readonly #now: () => number
  readonly #lastSeenAt: Record<keyof typeof missingRoleSentences, number>
  #lastHeartbeatAt: number
  #hasHeartbeat = false
  #liveLeases: readonly LiveLease[] = []

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    const startedAt = now()
    // Nodes that are started together don't appear at the same time, so every role counts as seen at the start.
    this.#lastSeenAt = { checker: startedAt, worker: startedAt }
    this.#lastHeartbeatAt = startedAt
  }

  recordHeartbeat(liveLeases: readonly LiveLease[]): void {
    this.#liveLeases = liveLeases
    this.#hasHeartbeat = true
    this.#lastHeartbeatAt = this.#now()
    for (const role of Object.keys(this.#lastSeenAt) as (keyof typeof missingRoleSentences)[]) {
      if (liveLeases.some((lease) => lease.roles.includes(role))) this.#lastSeenAt[role] = this.#lastHeartbeatAt
    }
  }

  /** One sentence for each role that no live node has. While the database is unavailable, the list doesn't change. */
  get degradedReasons(): string[] {
    return Object.entries(missingRoleSentences)
      .filter(([role]) => this.#lastHeartbeatAt - this.#lastSeenAt[role as 'checker'] > MAX_ROLE_ABSENCE_MS)
      .map(([, sentence]) => sentence)
  }

  /**
   * Throws while a live node of a version before `minSchemaVersion` has the role. Such a node could not check monitors
   * of a newer type, or send their alerts.
   */
  requireUpgraded(role: Role, minSchemaVersion: number): void {
    const isOlder = ({ roles, schemaVersion }: LiveLease) => schemaVersion < minSchemaVersion && roles.includes(role)
    if (!this.#liveLeases.some(isOlder)) return
    throw unavailable(
      `A node of an earlier version with the role ${role} is still running, and doesn't support this feature. Finish the upgrade first.`,
    )
  }

  /**
   * Whether the process is the first of all live ones with the role, for work that only one node should do. Nodes of a version before
   * `minSchemaVersion` can't do this work, so they don't count.
   */
  isFirst(role: Role, processId: number, minSchemaVersion: number): boolean {
    return !this.#liveLeases.some(
      (lease) => lease.processId < processId && lease.schemaVersion >= minSchemaVersion && lease.roles.includes(role),
    )
  }

  /**
   * Whether all live nodes, of any role, know at least this version of the schema. Returns false before the first heartbeat, when
   * other nodes are still unknown.
   */
  areAllUpgraded(minSchemaVersion: number): boolean {
    return this.#hasHeartbeat && this.#liveLeases.every(({ schemaVersion }) => schemaVersion >= minSchemaVersion)
  }

  countLeases(): number {
    return this.#liveLeases.length
  }

  /** A process with several roles counts once for each. */
  countNodesByRole(): Map<Role, number> {
    return new Map(
      roles.map((role) => {
        const leasesWithRole = this.#liveLeases.filter((lease) => lease.roles.includes(role))
        return [role, new Set(leasesWithRole.map(({ processId }) => processId)).size]
      }),
    )
  }
}
