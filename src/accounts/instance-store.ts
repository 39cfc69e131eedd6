/** SQL of the one row that stands for this installation. */
import type { Queries } from '../storage/client.ts'

export interface InstanceRow {
  id: string
  claimed_at: Date | null
}

export async function findInstance(q: Queries): Promise<InstanceRow> {
  const [row] = await q.query<InstanceRow>('select id, claimed_at from instance')
  if (row === undefined) throw new Error('the table instance has lost its row')
  return row
}

/** The set-up link dies with it. false: somebody was first. Needs the transaction that makes the account. */
export async function claimInstance(q: Queries, now: Date): Promise<boolean> {
  return (await q.query('update instance set claimed_at = $1 where claimed_at is null returning id', [now])).length > 0
}

/** Keeps the first fingerprint it is given, and returns the one it keeps. */
export async function rememberFingerprint(q: Queries, fingerprint: string): Promise<string> {
  const [row] = await q.query(
    'update instance set secret_fingerprint = coalesce(secret_fingerprint, $1) returning secret_fingerprint',
    [fingerprint],
  )
  return row?.['secret_fingerprint']
}
