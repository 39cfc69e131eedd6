import { existsSync } from 'node:fs'
import type { ClientBase } from 'pg'
import { parseConfig } from '../../config/config.ts'
import { readServerEnvironment, readServerSettings } from '../../config/server-process.ts'
import { formatCommand } from '../../lib/program.ts'
import { layoutOf } from '../../storage/embedded/layout.ts'
import { withOwnerConnection } from '../../storage/open-database.ts'
import type { Command, Invocation } from '../common/command.ts'
import { withDatabaseSource } from '../common/with-database.ts'
import * as database from './database.ts'
import { type DoctorDiagnosis, diagnoseError, formatDiagnosis, ok, warning } from './diagnosis.ts'
import { checkDataFolder, checkEmbeddedPostgres, checkNodeVersion, checkPing, checkPublicAddress } from './machine.ts'
import { checkDelivery, checkPrivateTargets, checkReports, checkTransports } from './messages.ts'
import { checkSettings, describeSettingsSource } from './settings.ts'
import { readPostgresFacts } from './store.ts'
import { checkFailedEvents, checkGeolocation } from './traffic.ts'

/** If `check` throws an error, `doctor` says that `subject` could not be checked. */
type RunCheck = (subject: string, check: () => Promise<DoctorDiagnosis[]>) => Promise<void>

async function checkConnectedDatabase(client: ClientBase, { config }: Invocation, runCheck: RunCheck): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await runCheck('The number of other connections', async () => {
      const { otherConnectionCount } = await readPostgresFacts(client)
      return [
        ok(
          otherConnectionCount > 0
            ? 'A server is connected to the database.'
            : 'No server is connected to the database.',
        ),
      ]
    })
  }
  await runCheck('The database server', () => database.checkPostgres(client))
  await runCheck('Write access to the database', () => database.checkWritable(client))
  await runCheck('The privileges of the login', () => database.checkRights(client))
  await runCheck('The schema of the database', () => database.checkMigrations(client))
  await runCheck('Row level security', () => database.checkRowSecurity(client))
  await runCheck('The clock of the database', () => database.checkClock(client))
  await runCheck('The secret', () => database.checkSecret(client, config))
  await runCheck('The administrators', () => database.checkAdministrators(client))
  await runCheck('The delivery of alerts', () => checkDelivery(client))
  await runCheck('The weekly reports', () => checkReports(client, config))
  await runCheck('The rollup of events', () => checkFailedEvents(client))
}

/** If there is no database yet, warns instead of creating one. */
async function checkDatabase(invocation: Invocation, runCheck: RunCheck): Promise<DoctorDiagnosis[]> {
  const { config } = invocation
  if (config.databaseUrl === undefined && !existsSync(layoutOf(config.dataDir).cluster)) {
    return [warning('There is no database yet.', `The first start creates it: \`${formatCommand()}\`.`)]
  }
  await withDatabaseSource(invocation, async (source) => {
    await runCheck('The running server', async () => {
      if (source.kind === 'started') return [ok('No server is running. The database was started for this check.')]
      return source.kind === 'running' ? [ok('A server is using the data folder.')] : []
    })
    await runCheck('The database servers', () => database.checkServers(source.connection))
    await withOwnerConnection(source.connection, (client) => checkConnectedDatabase(client, invocation, runCheck), {
      acceptsReadOnly: true,
    })
  })
  return []
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  usage: 'doctor',
  switchesToOwner: 'later',
  details: '  ✓ is fine, ! is a warning, ✗ is a failure (exit code 1). Changes nothing.',
  async run(invocation) {
    let hasFailure = false
    const print = (diagnoses: DoctorDiagnosis[]) => {
      for (const diagnosis of diagnoses) {
        hasFailure ||= diagnosis.kind === 'failure'
        invocation.out(formatDiagnosis(diagnosis))
      }
    }
    const runCheck: RunCheck = async (subject, check) =>
      print(await check().catch((error) => [diagnoseError(error, subject)]))

    const serverEnvironment = await readServerEnvironment(invocation.config.dataDir)
    invocation.switchToOwner()
    const server = await readServerSettings(invocation.config.dataDir, serverEnvironment)
    const settings = server.kind === 'found' ? server.settings : invocation.settings
    const config = parseConfig(settings)
    print(describeSettingsSource(server, invocation.settings))
    await runCheck('The configuration', async () => checkSettings(settings))
    await runCheck('Node', checkNodeVersion)
    await runCheck('The public address', () => checkPublicAddress(config))
    await runCheck('The data folder', () => checkDataFolder(config))
    await runCheck('The embedded PostgreSQL', () => checkEmbeddedPostgres(config))
    await runCheck('The transports for email and SMS', () => checkTransports(config))
    await runCheck('The private targets', () => checkPrivateTargets(config))
    await runCheck('The ping command', () => checkPing())
    await runCheck('The geolocation database', () => checkGeolocation(config))
    await runCheck('The database', () => checkDatabase({ ...invocation, config }, runCheck))
    return hasFailure ? 1 : 0
  },
}
