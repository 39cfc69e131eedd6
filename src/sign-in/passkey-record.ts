import type { PasskeyRow } from './passkey-store.ts'
import type { PasskeyRecord } from './schema.ts'

export function toPasskeyRecord({ id, name, created_at, last_used_at, is_backed_up }: PasskeyRow): PasskeyRecord {
  return {
    id,
    name,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
    is_backed_up,
  }
}
