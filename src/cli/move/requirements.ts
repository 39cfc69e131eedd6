/** Requirements that a move checks before it begins. */
import type { ClientBase } from 'pg'
import type { Config } from '../../config/config.ts'
import { findStoredSecret, Secret, secretPath } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { tryMoveLock } from '../../storage/move-lock.ts'
import type { Endpoint } from './endpoints.ts'
import { readDatabaseUse } from './store.ts'

/** Takes the move lock before it looks for servers: a server that starts later finds the lock taken and stops. */
export async function requireUnused(client: ClientBase, { kind, name }: Endpoint): Promise<void> {
  if (!(await tryMoveLock(client))) {
    throw new StartupError(
      `Another \`belfry move\`, or a server that is just starting, uses ${name}.`,
      'Wait for that move to end, or stop that server, and try again. Nothing was changed.',
    )
  }
  // The lock of the data folder already keeps servers off an embedded database.
  if (kind === 'embedded') return
  const { servers, addresses } = await readDatabaseUse(client)
  if (servers.length === 0 && addresses.length === 0) return
  const origin = addresses.length === 0 ? '' : `, connected from ${addresses.join(' and ')}`
  const users =
    servers.length === 0
      ? `Another Belfry process uses ${name}`
      : `${servers.length === 1 ? 'A Belfry server uses' : `${servers.length} Belfry servers use`} ${name} (${servers.join('; ')})`
  throw new StartupError(
    `${users}${origin}.`,
    'Stop all servers and commands on this database first, because their changes during the move would be lost. Nothing was changed.',
  )
}

/** Returns where the secret of the moved database is. Throws if this machine doesn't have it. */
export async function requireSecretFor(
  fingerprint: string | null,
  { secret, dataDir }: Pick<Config, 'secret' | 'dataDir'>,
): Promise<string> {
  const path = secretPath(dataDir)
  const place = secret === undefined ? path : 'BELFRY_SECRET'
  const text = secret ?? (await findStoredSecret(dataDir))
  if (fingerprint === null || (text !== undefined && new Secret(text).fingerprint === fingerprint)) return place
  throw new StartupError(
    text === undefined
      ? `The secret of the database to move is missing: there is no file ${path}.`
      : `${place} is not the secret of the database to move.`,
    `Copy the file \`secret\` from the data folder of the old server to ${path}, or set BELFRY_SECRET to its text. Without it, stored credentials can't be decrypted.`,
  )
}
