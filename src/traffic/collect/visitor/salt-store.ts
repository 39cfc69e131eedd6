/** SQL for the daily salts for visitor ids. */
import type { Queries } from '../../../storage/client.ts'

/** Nodes that need the salt at the same time all get the one that was inserted first. */
export async function ensureSalt(q: Queries, day: string, newSalt: Buffer): Promise<Buffer> {
  const results = await q.batch(
    { text: 'insert into visitor_salts (day, salt) values ($1, $2) on conflict do nothing', values: [day, newSalt] },
    { text: 'select salt from visitor_salts where day = $1', values: [day] },
  )
  return results[1]?.rows[0]?.['salt'] as Buffer
}

export async function deleteOldSalts(q: Queries, before: string): Promise<void> {
  await q.query('delete from visitor_salts where day < $1', [before])
}
