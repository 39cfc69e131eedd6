/** Checks the database. A check that fails doesn't stop the others. */
import { stat } from 'node:fs/promises'
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { formatCommand } from '../../lib/program.ts'
import { findStoredSecret, Secret, secretPath } from '../../lib/secret.ts'
import { readDatabaseRoles, readRowSecurityState } from '../../storage/access.ts'
import type { ConnectionSettings } from '../../storage/connection-settings.ts'
import { Connector } from '../../storage/connector.ts'
import { readMigrationState } from '../../storage/migrations.ts'
import { requireSupportedServer, SUPPORTED_POSTGRES_VERSIONS } from '../../storage/open-database.ts'
import { type DoctorDiagnosis, failure, ok, warning } from './diagnosis.ts'
import { isReadOnly, readClockOffset, readInstanceFacts, readPostgresFacts } from './store.ts'

const MAX_CLOCK_OFFSET_MS = 2_000
const SERVER_TIMEOUT_MS = 5_000

/** Reports each server if DATABASE_URL lists several: one accepts writes, and the others are its standbys. */
export async function checkServers(settings: ConnectionSettings): Promise<DoctorDiagnosis[]> {
  const connectOptions = { timeoutMs: SERVER_TIMEOUT_MS, setup: 'set statement_timeout = 2000' }
  const servers = await new Connector(settings).listServers(connectOptions)
  if (servers.length === 1) return []
  const remedy = 'Fix this problem, so that Belfry can use this server if another one fails.'
  return servers.map(({ host, isStandby, problem }) => {
    if (problem === undefined) return ok(`Database server ${host}: accepts writes.`)
    return isStandby
      ? ok(`Database server ${host}: not in use, because ${problem}.`)
      : warning(`Database server ${host}: not in use (${problem}).`, remedy)
  })
}

/**
 * Reports that no server accepts writes. In that case, `doctor` connects to a read-only server, so that the other
 * checks still run.
 */
export async function checkWritable(client: ClientBase): Promise<DoctorDiagnosis[]> {
  if (!(await isReadOnly(client))) return []
  return [
    failure(
      'Database: accepts no writes.',
      'Point DATABASE_URL at the primary server, or list all servers (host1,host2), or promote the standby.',
    ),
  ]
}

export async function checkPostgres(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { version, hasChecksums } = await readPostgresFacts(client)
  const { isTested } = await requireSupportedServer(client)
  return [
    isTested
      ? ok(`PostgreSQL: version ${version}. Belfry supports ${SUPPORTED_POSTGRES_VERSIONS}.`)
      : warning(
          `PostgreSQL: version ${version} is newer than the versions that this version of Belfry is tested with (${SUPPORTED_POSTGRES_VERSIONS}).`,
          'Look for a newer version of Belfry.',
        ),
    hasChecksums
      ? ok('Data checksums: on, so disk corruption is detected.')
      : warning('Data checksums: off.', 'To detect disk corruption, stop PostgreSQL and run pg_checksums --enable.'),
  ]
}

export async function checkRights(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { isSuperuser } = await readPostgresFacts(client)
  const { login, requestRole, bypassesRowSecurity } = await readDatabaseRoles(client)
  const diagnoses: DoctorDiagnosis[] = []
  if (isSuperuser) {
    diagnoses.push(
      warning(
        `Database login: ${login} is a superuser.`,
        'A login that owns its database and can create roles is enough.',
      ),
    )
  }
  if (requestRole !== undefined) diagnoses.push(ok(`Database role: requests run as ${requestRole}.`))
  else if (bypassesRowSecurity) {
    diagnoses.push(
      failure(
        `Database login: ${login} bypasses row level security.`,
        `Run \`${formatCommand('migrate')}\` for details.`,
      ),
    )
  } else {
    const remedy = 'That is safe. For a second line of defense, grant CREATEROLE and restart.'
    diagnoses.push(
      warning(`Database role: requests run as the owner ${login} under forced row level security.`, remedy),
    )
  }
  return diagnoses
}

export async function checkMigrations(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { version, pendingMigrations, mustApplyAccess } = await readMigrationState(client)
  if (pendingMigrations.length === 0 && !mustApplyAccess) return [ok(`Schema: up to date (version ${version}).`)]
  const pendingFiles =
    pendingMigrations.length > 0
      ? pendingMigrations.map(({ name }) => name).join(', ')
      : 'the access rules (migrations/access)'
  return [
    warning(
      `Schema: version ${version}. Not applied yet: ${pendingFiles}.`,
      `Run \`${formatCommand('migrate')}\`, or start the server.`,
    ),
  ]
}

export async function checkRowSecurity(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { tableCount, unprotectedTables } = await readRowSecurityState(client)
  if (tableCount === 0)
    return [warning('Row level security: there are no tables yet.', 'The first start creates them.')]
  if (unprotectedTables.length === 0)
    return [ok(`Row level security: on and forced on all ${tableCount} tables with user data.`)]
  return unprotectedTables.map((name) =>
    failure(
      `Row level security: off on ${name}. A request could reach another user's rows.`,
      `Run in psql: ALTER TABLE belfry.${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;`,
    ),
  )
}

export async function checkClock(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const offsetMs = await readClockOffset(client)
  if (Math.abs(offsetMs) <= MAX_CLOCK_OFFSET_MS) return [ok('Clocks: the database and this machine agree.')]
  const offset = `${(Math.abs(offsetMs) / 1000).toFixed(1)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`
  return [warning(`Clocks: the database is ${offset} this machine.`, 'Synchronize both with a time server (NTP).')]
}

export async function checkSecret(client: ClientBase, { secret, dataDir }: Config): Promise<DoctorDiagnosis[]> {
  const fingerprint = (await readInstanceFacts(client))?.secretFingerprint ?? null
  const path = secretPath(dataDir)
  const text = secret ?? (await findStoredSecret(dataDir))
  const source = secret === undefined ? path : 'BELFRY_SECRET'
  if (text === undefined && fingerprint === null) return [ok('Secret: the first start creates it.')]
  if (text === undefined) {
    return [failure(`Secret: ${path} is missing.`, 'Restore it from a backup, or set BELFRY_SECRET to it.')]
  }
  if (fingerprint !== null && new Secret(text).fingerprint !== fingerprint) {
    return [
      failure(
        `Secret: the one in ${source} doesn't match this database.`,
        'Restore the right one, or restore a backup that includes it.',
      ),
    ]
  }
  if (secret === undefined && ((await stat(path)).mode & 0o077) !== 0) {
    return [warning(`Secret: other users can read ${path}.`, `Run: chmod 600 ${path}`)]
  }
  return [ok(`Secret: the one in ${source} matches the database.`)]
}

export async function checkAdministrators(client: ClientBase): Promise<DoctorDiagnosis[]> {
  const { hasBeenSetUp = false, administratorCount = 0 } = (await readInstanceFacts(client)) ?? {}
  if (administratorCount > 0) return [ok(`Admins: ${administratorCount}.`)]
  const command = `\`${formatCommand('user create <email> --admin')}\``
  if (hasBeenSetUp) return [failure('Admins: none.', `Run ${command}.`)]
  return [warning('Admins: there is no account yet.', `Open the link that the server printed, or run ${command}.`)]
}
