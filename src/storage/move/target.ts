/** Checks that a move can fill a database, before it changes anything. */
import { randomInt } from 'node:crypto'
import type { ClientBase } from 'pg'
import { formatCount } from '../../lib/format.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { readCurrentDatabase } from '../backup/current-database.ts'

interface TargetFacts {
  login: string
  database: string
  encoding: string
  canCreateSchema: boolean
  /** The owner of the schema `belfry`, if it isn't our login. */
  otherOwner: string | null
  /** Whether the schema `belfry` contains tables, but none of Belfry's. */
  hasForeignTables: boolean
}

async function readTargetFacts(client: ClientBase): Promise<TargetFacts> {
  const { rows } = await client.query<TargetFacts>(`
    select current_user::text as login, current_database()::text as database, current_setting('server_encoding') as encoding,
           has_database_privilege(current_database(), 'create') as "canCreateSchema",
           (select pg_get_userbyid(nspowner)::text from pg_namespace
             where nspname = 'belfry' and pg_get_userbyid(nspowner) <> current_user) as "otherOwner",
           (select count(*) > 0 and count(*) filter (where relname = 'migrations') = 0
              from pg_class where relnamespace = to_regnamespace('belfry')) as "hasForeignTables"`)
  return rows[0] as TargetFacts
}

/**
 * Compares no addresses, because a database can have several host names, addresses and sockets. Instead, one connection takes an
 * advisory lock: if the other connection can't take the same lock, both lead to the same database.
 */
export async function requireOtherDatabase(source: ClientBase, target: ClientBase): Promise<void> {
  const key = randomInt(2 ** 47, 2 ** 48 - 1)
  await source.query('select pg_advisory_lock($1)', [key])
  const { rows } = await target.query('select pg_try_advisory_lock($1) and pg_advisory_unlock($1) as is_free', [key])
  await source.query('select pg_advisory_unlock($1)', [key])
  if (rows[0].is_free) return
  throw new StartupError(
    'The target is the database that Belfry uses already.',
    'Name another database with --to. Nothing was changed.',
  )
}

/** `name` is the target's name in messages. */
export async function requireWritableTarget(target: ClientBase, name: string): Promise<void> {
  const facts = await readTargetFacts(target)
  if (facts.encoding !== 'UTF8') {
    throw new StartupError(
      `${name} stores text as ${facts.encoding}; Belfry needs UTF8.`,
      `Create another one: create database belfry owner ${target.escapeIdentifier(facts.login)} encoding 'UTF8' template template0;`,
    )
  }
  if (facts.otherOwner !== null) {
    throw new StartupError(
      `The schema \`belfry\` of ${name} belongs to another login, ${facts.otherOwner}.`,
      'Use that login in --to, or use an empty database. Nothing was changed.',
    )
  }
  if (!facts.canCreateSchema) {
    throw new StartupError(
      `The login ${facts.login} must be allowed to create schemas in ${name}.`,
      `Ask a database administrator to run: GRANT CREATE ON DATABASE ${target.escapeIdentifier(facts.database)} TO ${target.escapeIdentifier(facts.login)};`,
    )
  }
  if (facts.hasForeignTables) {
    throw new StartupError(
      `The schema \`belfry\` of ${name} contains tables that are not Belfry's.`,
      'Use an empty database. Nothing was changed.',
    )
  }
}

/**
 * Accepts tables without accounts, because a server that was started but never used leaves such tables. Throws a
 * different error if the target contains the same installation: after a move that was interrupted right after its
 * commit, or if somebody wants to return to an old database.
 */
export async function requireEmptyTarget(source: ClientBase, target: ClientBase, name: string): Promise<void> {
  const { userCount } = await readCurrentDatabase(target)
  if (userCount === 0) return
  const accounts = userCount === 1 ? '1 account' : `${formatCount(userCount)} accounts`
  if ((await findInstanceId(source)) === (await findInstanceId(target))) {
    throw new StartupError(
      `${name} already contains this installation, with ${accounts}: from a completed move, or from before an earlier move.`,
      'If you have just moved to it, start Belfry with it. Otherwise its data may be old: use an empty database, or delete this one. Nothing was changed.',
    )
  }
  throw new StartupError(
    `${name} is not empty: it contains ${accounts}.`,
    'Use an empty database: a move never replaces data. Nothing was changed.',
  )
}

async function findInstanceId(client: ClientBase): Promise<string | undefined> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.instance') is not null as exists`)
  if (!existsRows[0].exists) return undefined
  return (await client.query('select id from belfry.instance')).rows[0]?.id
}
