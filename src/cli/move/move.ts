import type pg from 'pg'
import { formatDuration } from '../../lib/format.ts'
import { ensureRequestRole } from '../../storage/access.ts'
import { type Snapshot, withSnapshot } from '../../storage/backup/snapshot.ts'
import { type CopiedTable, commitMove, copyDatabase } from '../../storage/move/copy-database.ts'
import { buildSourceLockSql } from '../../storage/move/lock-source.ts'
import { prepareLongSession } from '../../storage/move/session.ts'
import { readTableSizes } from '../../storage/move/table-sizes.ts'
import { requireEmptyTarget, requireOtherDatabase, requireWritableTarget } from '../../storage/move/target.ts'
import { requireSupportedServer, withOwnerConnection } from '../../storage/open-database.ts'
import type { Command, Invocation } from '../common/command.ts'
import { onInterrupt, withoutInterrupts } from '../common/interrupts.ts'
import { withOpenSource } from '../common/with-database.ts'
import { describeSource, describeTarget, type Endpoint } from './endpoints.ts'
import { MoveProgress } from './progress.ts'
import { formatNextSteps, formatSummary } from './report.ts'
import { requireSecretFor, requireUnused } from './requirements.ts'

interface Clients {
  source: pg.Client
  target: pg.Client
}

/** Opens a dedicated connection to each database. */
function withBothDatabases<T>(
  endpoints: { source: Endpoint; target: Endpoint },
  work: (clients: Clients) => Promise<T>,
): Promise<T> {
  const connect = <R>(endpoint: Endpoint, use: (client: pg.Client) => Promise<R>) =>
    withOpenSource(endpoint.open, ({ connection }) =>
      withOwnerConnection(
        connection,
        async (client) => {
          await requireSupportedServer(client, endpoint.addressName)
          await prepareLongSession(client)
          return use(client)
        },
        { addressName: endpoint.addressName },
      ),
    )
  return connect(endpoints.source, (source) => connect(endpoints.target, (target) => work({ source, target })))
}

async function copyAndCommit({ source, target }: Clients, snapshot: Snapshot, note: Invocation['note']) {
  const roles = await ensureRequestRole(target)
  const progress = new MoveProgress(note, await readTableSizes(source, snapshot.tables))
  const removeCleanup = onInterrupt(() => note('Interrupted. Neither database was changed.'))
  let copiedTables: CopiedTable[]
  try {
    copiedTables = await copyDatabase({
      source,
      target,
      snapshot,
      roles,
      onTable: progress.beginTable,
      onProgress: progress.add,
      onCopied: progress.complete,
      onWait: () => note('Waiting for other connections to release the target…'),
    })
    await withoutInterrupts(async () => {
      await commitMove(target)
      removeCleanup()
    })
  } finally {
    removeCleanup()
  }
  return copiedTables
}

export const move: Command = {
  name: 'move',
  summary: 'move all data to a PostgreSQL server, or back to the embedded database',
  usage: 'move --to <postgres://…|embedded>',
  details: [
    '  Copies the database that Belfry uses now (DATABASE_URL, or else the embedded one) to another one, which must be',
    '  empty. Stop all servers first. Compares every table before it commits: an error or an interruption leaves the target',
    '  as it was. Never changes the old database. Prints which settings to change afterwards. docs/move.md has the details.',
  ].join('\n'),
  options: { to: { type: 'string' } },
  async run({ config, settings, options, out, note }) {
    const startedAt = performance.now()
    const target = describeTarget(options['to'], config)
    const source = describeSource(config)
    const { secretPlace, copiedTables } = await withBothDatabases({ source, target }, async (clients) => {
      await requireOtherDatabase(clients.source, clients.target)
      await requireWritableTarget(clients.target, target.name)
      await requireUnused(clients.source, source)
      await requireUnused(clients.target, target)
      await requireEmptyTarget(clients.source, clients.target, target.name)
      const lockSql = await buildSourceLockSql(clients.source)
      return withSnapshot(clients.source, { purpose: 'move', lockSql }, async (snapshot) => ({
        secretPlace: await requireSecretFor(snapshot.secretFingerprint, config),
        copiedTables: await copyAndCommit(clients, snapshot, note),
      }))
    })
    out(formatSummary(copiedTables))
    out(`Moved to ${target.name} in ${formatDuration(performance.now() - startedAt)}.`)
    out(formatNextSteps({ source, target, secretPlace }, { config, settings }))
    return 0
  },
}
