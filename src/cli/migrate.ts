import { migrate as bringUpToDate, readMigrationState } from '../storage/migrations.ts'
import { requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import type { Command } from './command.ts'
import { withPlace } from './with-database.ts'

export const migrate: Command = {
  name: 'migrate',
  summary: 'bring the database up to date',
  usage: 'migrate',
  details: '  A starting server does this by itself. Going back is restoring a backup.',
  async run(invocation) {
    const { before, applied } = await withPlace(invocation, (place) =>
      withOwnerConnection(place.connection, async (client) => {
        await requireSupportedServer(client)
        const before = await readMigrationState(client)
        return { before, applied: await bringUpToDate(client) }
      }),
    )
    for (const { name } of applied) invocation.out(`Applied ${name}.`)
    if (applied.length === 0 && before.accessChanged) invocation.out('Renewed who may see what (access.sql).')
    if (applied.length === 0 && !before.accessChanged) {
      invocation.out(`The database is up to date: schema ${before.version}.`)
    }
    return 0
  },
}
