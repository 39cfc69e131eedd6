/** Connections as most servers use them: a `pg` pool of the default size, in which each request waits for each of its statements. */
import pg from 'pg'
import { acquireSocketAddress } from '../../src/storage/embedded/address.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'

/** Opens a pool to the embedded database of a running server. `settings` are PostgreSQL's settings of every session. */
export function openUsualPool(dataDir: string, settings: Record<string, string>): pg.Pool {
  // Without this, pg returns ids as text.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number)
  return new pg.Pool({
    ...acquireSocketAddress(layoutOf(dataDir)).address,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
}
