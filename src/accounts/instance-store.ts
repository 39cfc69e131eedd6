/** SQL for the single row of `instance`, which describes this installation. */
import type { Queries } from '../storage/transaction.ts'

export interface InstanceRow {
  id: string
  claimed_at: Date | null
}

export async function getInstance(q: Queries): Promise<InstanceRow> {
  const [row] = await q.query<InstanceRow>('select id, claimed_at from instance')
  if (row === undefined) throw new Error('the table instance has no row')
  return row
}

/** Marks the installation as set up. Returns false if it already is. Call it in the transaction that creates the first account. */
export async function claimInstance(q: Queries, now: Date): Promise<boolean> {
  return (await q.query('update instance set claimed_at = $1 where claimed_at is null returning id', [now])).length > 0
}

/** Stores the fingerprint of `BELFRY_SECRET` if none is stored yet. Returns the stored fingerprint. */
export async function storeSecretFingerprintOnce(q: Queries, fingerprint: string): Promise<string> {
  const [row] = await q.query(
    'update instance set secret_fingerprint = coalesce(secret_fingerprint, $1) returning secret_fingerprint',
    [fingerprint],
  )
  return row?.['secret_fingerprint']
}
