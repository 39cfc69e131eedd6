import { existsSync } from 'node:fs'
import type { ClientBase } from 'pg'
import { parseConfig } from '../../config/config.ts'
import { readServerEnvironment, readServerSettings } from '../../config/server-process.ts'
import { systemClock } from '../../lib/clock.ts'
import { formatCommand } from '../../lib/program.ts'
import {
  type CommandSettings,
  readCommandSettings,
  withoutSavedSettings,
} from '../../server-settings/command-settings.ts'
import { layoutOf } from '../../storage/embedded/layout.ts'
import { withOwnerConnection } from '../../storage/open-database.ts'
import type { Command, Invocation } from '../common/command.ts'
import { withDatabaseSource } from '../common/with-database.ts'
import { checkLateness } from './checks.ts'
import * as database from './database.ts'
import { type DoctorDiagnosis, diagnoseError, formatDiagnosis, ok, warning } from './diagnosis.ts'
import { checkSavedSettings, listMissingBeforeGoLive } from './go-live.ts'
import { checkDataFolder, checkEmbeddedPostgres, checkNodeVersion, checkPing, checkPublicAddress } from './machine.ts'
import {
  checkDelivery,
  checkPrivateTargets,
  checkReports,
  describeTransports,
  findMailServerProblem,
} from './messages.ts'
import { checkSettings, describeSettingsSource } from './settings.ts'
import { readPostgresFacts } from './store.ts'
import { checkBlocks, checkFailedEvents, checkGeolocation, checkPacking } from './traffic.ts'

/** If `check` throws an error, `doctor` says that `subject` could not be checked. */
type RunCheck = (subject: string, check: () => Promise<DoctorDiagnosis[]>) => Promise<void>

async function checkConnectedDatabase(
  client: ClientBase,
  { config }: Invocation,
  runCheck: RunCheck,
): Promise<CommandSettings> {
  let settings = withoutSavedSettings(config)
  if (config.databaseUrl !== undefined) {
    await runCheck('Server', async () => {
      const { otherConnectionCount } = await readPostgresFacts(client)
      return [
        ok(otherConnectionCount > 0 ? 'Server: connected to the database.' : 'Server: not connected to the database.'),
      ]
    })
  }
  await runCheck('PostgreSQL', () => database.checkPostgres(client))
  await runCheck('Database', () => database.checkWritable(client))
  await runCheck('Database login', () => database.checkRights(client))
  await runCheck('Schema', () => database.checkMigrations(client))
  await runCheck('Row level security', () => database.checkRowSecurity(client))
  await runCheck('Clocks', () => database.checkClock(client))
  await runCheck('Secret', () => database.checkSecret(client, config))
  await runCheck('Admins', () => database.checkAdministrators(client))
  await runCheck('Server settings', async () => {
    settings = await readCommandSettings(client, config)
    return checkSavedSettings(settings)
  })
  await runCheck('Checks', () => checkLateness(client))
  await runCheck('Alerts', () => checkDelivery(client))
  await runCheck('Weekly reports', () => checkReports(client, settings.config))
  await runCheck('Statistics', () => checkFailedEvents(client))
  await runCheck('Packing', () => checkPacking(client, systemClock))
  await runCheck('Packed days', () => checkBlocks(client, systemClock))
  return settings
}

/** If there is no database yet, warns instead of creating one. */
async function checkDatabase(
  invocation: Invocation,
  runCheck: RunCheck,
  onSettings: (settings: CommandSettings) => void,
): Promise<DoctorDiagnosis[]> {
  const { config } = invocation
  if (config.databaseUrl === undefined && !existsSync(layoutOf(config.dataDir).cluster)) {
    return [warning('Database: there is none yet.', `The first start creates it: \`${formatCommand()}\`.`)]
  }
  await withDatabaseSource(invocation, async (source) => {
    await runCheck('Server', async () => {
      if (source.kind === 'started') return [ok('Server: not running. The database was started for this check.')]
      return source.kind === 'running' ? [ok('Server: running with this data folder.')] : []
    })
    await runCheck('Database servers', () => database.checkServers(source.connection))
    const check = (client: ClientBase) => checkConnectedDatabase(client, invocation, runCheck)
    onSettings(await withOwnerConnection(source.connection, check, { acceptsReadOnly: true }))
  })
  return []
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'check the installation and suggest fixes',
  usage: 'doctor',
  switchesToOwner: 'later',
  details:
    '  ✓ is fine, ! is a warning, ✗ is a failure (exit code 1), ○ is still to be set before you go live. The command changes nothing.',
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
    await runCheck('Configuration', async () => checkSettings(settings))
    await runCheck('Node', checkNodeVersion)
    await runCheck('Data folder', () => checkDataFolder(config))
    await runCheck('Embedded PostgreSQL', () => checkEmbeddedPostgres(config))
    await runCheck('Private addresses', () => checkPrivateTargets(config))
    await runCheck('Ping monitors', () => checkPing())
    await runCheck('Geolocation', () => checkGeolocation(config))
    let commandSettings = withoutSavedSettings(config)
    await runCheck('Database', () =>
      checkDatabase({ ...invocation, config }, runCheck, (found) => {
        commandSettings = found
      }),
    )
    await runCheck('Public URL', () => checkPublicAddress(commandSettings.config))
    let mailError: string | undefined
    await runCheck('Email and SMS', async () => {
      mailError = await findMailServerProblem(commandSettings.config)
      return describeTransports(commandSettings.config, mailError)
    })
    const openItemLines = listMissingBeforeGoLive(commandSettings, { now: systemClock.now(), mailError })
    for (const line of openItemLines) invocation.out(line)
    return hasFailure ? 1 : 0
  },
}
