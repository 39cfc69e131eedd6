import { migrateDatabase, readMigrationState } from '../storage/migrations.ts'
import { requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import type { Command } from './command.ts'
import { withDatabaseSource } from './with-database.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database up to date',
  usage: 'migrate',
  details: '  The server also does this when it starts. To go back to an older version, restore a backup.',
  async run(invocation) {
    const { before, applied } = await withDatabaseSource(invocation, (source) =>
      withOwnerConnection(source.connection, async (client) => {
        await requireSupportedServer(client)
        const before = await readMigrationState(client)
        return { before, applied: await migrateDatabase(client) }
      }),
    )
    for (const { name } of applied) invocation.out(`Applied ${name}.`)
    if (applied.length === 0 && before.accessChanged) invocation.out('Updated the access policies (access.sql).')
    if (applied.length === 0 && !before.accessChanged) {
      invocation.out(`The database is up to date (schema version ${before.version}).`)
    }
    return 0
  },
}
