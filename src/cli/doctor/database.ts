/** What the database tells about itself. Each check may fail without ending the others. */
import { stat } from 'node:fs/promises'
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { findSecretFile, Secret, secretFile } from '../../lib/secret.ts'
import { findRights, readProtection } from '../../storage/access.ts'
import { readMigrationState } from '../../storage/migrations.ts'
import { requireSupportedServer } from '../../storage/open-database.ts'
import { advice, broken, type Finding, ok } from './finding.ts'
import { readClockAhead, readInstanceFacts, readServerFacts } from './store.ts'

const CLOCK_APART_MS = 2_000

export async function checkServer(client: ClientBase): Promise<Finding[]> {
  const { version, checksums } = await readServerFacts(client)
  await requireSupportedServer(client)
  return [
    ok(`The database answers: PostgreSQL ${version}.`),
    checksums
      ? ok('Data checksums are on: a decaying disk is noticed.')
      : advice('Data checksums are off.', 'Stop PostgreSQL and run pg_checksums --enable, to notice a decaying disk.'),
  ]
}

export async function checkRights(client: ClientBase): Promise<Finding[]> {
  const { superuser } = await readServerFacts(client)
  const { login, requestRole, bypassesRowSecurity } = await findRights(client)
  const findings: Finding[] = []
  if (superuser) {
    findings.push(
      advice(`The login ${login} is a superuser.`, 'One that owns its database and may create roles is enough.'),
    )
  }
  if (requestRole !== undefined) findings.push(ok(`Requests run as the role ${requestRole}.`))
  else if (bypassesRowSecurity) {
    findings.push(
      broken(`The login ${login} bypasses row level security.`, 'Run `npm run belfry -- migrate`; it says more.'),
    )
  } else {
    const remedy = 'That is safe; GRANT CREATEROLE and a start would add a second wall.'
    findings.push(advice(`Requests run as the owner ${login} under forced row level security.`, remedy))
  }
  return findings
}

export async function checkMigrations(client: ClientBase): Promise<Finding[]> {
  const { version, pending, accessChanged } = await readMigrationState(client)
  if (pending.length === 0 && !accessChanged) return [ok(`The schema is up to date: ${version}.`)]
  const what = pending.length > 0 ? pending.map(({ name }) => name).join(', ') : 'access.sql'
  return [
    advice(
      `The schema is ${version}; ${what} is not applied.`,
      'Run `npm run belfry -- migrate`, or start the server.',
    ),
  ]
}

export async function checkRowSecurity(client: ClientBase): Promise<Finding[]> {
  const { tables, unprotected } = await readProtection(client)
  if (tables === 0) return [advice('There are no tables yet.', 'The first start makes them.')]
  if (unprotected.length === 0) return [ok(`Row level security is on and forced on all ${tables} tables of users.`)]
  return unprotected.map((name) =>
    broken(
      `Row level security is off on ${name}: one user's request could reach another's rows.`,
      `Run in psql: ALTER TABLE belfry.${name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;`,
    ),
  )
}

export async function checkClock(client: ClientBase): Promise<Finding[]> {
  const ahead = await readClockAhead(client)
  if (Math.abs(ahead) <= CLOCK_APART_MS) return [ok('The clocks of the database and this machine agree.')]
  const apart = `${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'}`
  return [advice(`The database's clock is ${apart} this machine's.`, 'Let both follow a time server (NTP).')]
}

export async function checkSecret(client: ClientBase, { secret, dataDir }: Config): Promise<Finding[]> {
  const fingerprint = (await readInstanceFacts(client))?.fingerprint ?? null
  const path = secretFile(dataDir)
  const text = secret ?? (await findSecretFile(dataDir))
  const from = secret === undefined ? path : 'BELFRY_SECRET'
  if (text === undefined && fingerprint === null) return [ok('The secret will be made on first start.')]
  if (text === undefined) {
    return [broken(`The secret ${path} is missing.`, 'Put it back from a backup, or set BELFRY_SECRET to it.')]
  }
  if (fingerprint !== null && new Secret(text).fingerprint !== fingerprint) {
    return [
      broken(
        `The secret in ${from} is not the one that this database goes with.`,
        'Put the right one back, or restore a backup that holds it.',
      ),
    ]
  }
  if (secret === undefined && ((await stat(path)).mode & 0o077) !== 0) {
    return [advice(`The secret ${path} can be read by other users.`, `Run: chmod 600 ${path}`)]
  }
  return [ok(`The secret in ${from} goes with the database.`)]
}

export async function checkAdministrators(client: ClientBase): Promise<Finding[]> {
  const { claimed = false, administrators = 0 } = (await readInstanceFacts(client)) ?? {}
  if (administrators > 0)
    return [ok(`There ${administrators === 1 ? 'is 1 administrator' : `are ${administrators} administrators`}.`)]
  const remedy = 'Run `npm run belfry -- user create <email> --admin`.'
  if (claimed) return [broken('There is no administrator.', remedy)]
  return [advice('There is no account yet.', `Open the link that the server prints, or: ${remedy}`)]
}
