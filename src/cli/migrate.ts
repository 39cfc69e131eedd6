import { migrateDatabase, readMigrationState } from '../storage/migrations.ts'
import { requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import { waitForDatabase } from '../storage/wait-for-database.ts'
import type { Command } from './common/command.ts'
import { prepareCommandMigration, withDatabaseSource } from './common/with-database.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database up to date',
  usage: 'migrate',
  details: [
    '  The server also does this when it starts. An embedded database with data is backed up first. `upgrade --check` shows',
    '  what a migration would do, and `rollback` undoes it. BELFRY_DATABASE_WAIT says how long to wait',
    '  for a database that is not up yet.',
  ].join('\n'),
  async run(invocation) {
    const { config, note } = invocation
    const seconds = config.databaseWaitSeconds
    const { previousState, appliedMigrations } = await withDatabaseSource(invocation, async (source, log) => {
      const { signal } = new AbortController()
      const onWaiting = async () => note(`Waiting up to ${seconds} s for the database.`)
      await waitForDatabase(source.connection, { log, signal, seconds, onWaiting })
      return withOwnerConnection(source.connection, async (client) => {
        await requireSupportedServer(client)
        const previousState = await readMigrationState(client)
        const beforeMigration = prepareCommandMigration(invocation, source)
        return { previousState, appliedMigrations: await migrateDatabase(client, { beforeMigration }) }
      })
    })
    for (const { name } of appliedMigrations) invocation.out(`Applied ${name}.`)
    if (appliedMigrations.length === 0 && previousState.mustApplyAccess)
      invocation.out('Updated the access rules (migrations/access).')
    if (appliedMigrations.length === 0 && !previousState.mustApplyAccess) {
      invocation.out(`The database is up to date (schema version ${previousState.version}).`)
    }
    return 0
  },
}
