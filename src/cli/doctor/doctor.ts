import { existsSync } from 'node:fs'
import type { ClientBase } from 'pg'
import { layoutOf } from '../../storage/embedded/layout.ts'
import { withOwnerConnection } from '../../storage/open-database.ts'
import type { Command, Invocation } from '../command.ts'
import { withDatabaseSource } from '../with-database.ts'
import { checkPing } from './checks.ts'
import * as database from './database.ts'
import { type Diagnosis, diagnoseError, formatDiagnosis, ok, warning } from './diagnosis.ts'
import { checkAddress, checkConfig, checkDataFolder, checkNode, checkTools } from './machine.ts'
import { checkPrivateTargets, checkReports, checkTransports } from './messages.ts'
import { readServerFacts } from './store.ts'
import { checkGeolocation, checkTraffic } from './traffic.ts'

type Report = (subject: string, check: () => Promise<Diagnosis[]>) => Promise<void>

async function checkConnectedDatabase(client: ClientBase, { config }: Invocation, report: Report): Promise<void> {
  if (config.databaseUrl !== undefined) {
    await report('Other connections', async () => {
      const { otherConnectionCount } = await readServerFacts(client)
      return [
        ok(
          otherConnectionCount > 0
            ? 'A server is connected to the database.'
            : 'No server is connected to the database.',
        ),
      ]
    })
  }
  await report('The database server', () => database.checkServer(client))
  await report('The privileges of the login', () => database.checkRights(client))
  await report('The schema', () => database.checkMigrations(client))
  await report('Row level security', () => database.checkRowSecurity(client))
  await report('The clock', () => database.checkClock(client))
  await report('The secret', () => database.checkSecret(client, config))
  await report('The administrators', () => database.checkAdministrators(client))
  await report('The weekly reports', () => checkReports(client, config))
  await report('The traffic', () => checkTraffic(client))
}

/** If there is no database yet, warns instead of creating one. */
async function checkDatabase(invocation: Invocation, report: Report): Promise<Diagnosis[]> {
  const { config } = invocation
  if (config.databaseUrl === undefined && !existsSync(layoutOf(config.dataDir).cluster)) {
    return [warning('There is no database yet.', 'The first start creates it: `npm start`.')]
  }
  await withDatabaseSource(invocation, async (source) => {
    await report('The running server', async () => {
      if (source.kind === 'started') return [ok('No server is running. The database was started for this check.')]
      return source.kind === 'running' ? [ok('A server is using the data folder.')] : []
    })
    await withOwnerConnection(source.connection, (client) => checkConnectedDatabase(client, invocation, report))
  })
  return []
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  usage: 'doctor',
  details: '  ✓ is fine, ! is a warning, ✗ is a failure (exit code 1). Changes nothing.',
  async run(invocation) {
    let hasFailure = false
    const print = (diagnoses: Diagnosis[]) => {
      for (const diagnosis of diagnoses) {
        hasFailure ||= diagnosis.kind === 'failure'
        invocation.out(formatDiagnosis(diagnosis))
      }
    }
    const report: Report = async (subject, check) =>
      print(await check().catch((error) => [diagnoseError(error, subject)]))

    await report('The configuration', () => checkConfig(invocation.config))
    await report('Node', checkNode)
    await report('The address', () => checkAddress(invocation.config))
    await report('The data folder', () => checkDataFolder(invocation.config))
    await report('The tools', () => checkTools(invocation.config))
    await report('The message transports', () => checkTransports(invocation.config))
    await report('The private targets', () => checkPrivateTargets(invocation.config))
    await report('The checks', () => checkPing())
    await report('The geolocation database', () => checkGeolocation(invocation.config))
    await report('The database', () => checkDatabase(invocation, report))
    return hasFailure ? 1 : 0
  },
}
