/** Says how to allow connections to a private address that Belfry refused. Admins see the line to copy, and others whom to ask. */
import { useQuery } from '@tanstack/preact-query'
import type { PrivateTargetRecord } from '../../src/server-settings/schema.ts'
import { findRefusedHost } from '../../src/shared/refusal-text.ts'
import { api, type ItemResponse, withQuery } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryKeys } from '../lib/queries.ts'
import { CodeLine } from './copy-button.tsx'
import { Skeleton } from './states.tsx'
import './allow-address.css'

/** `detail` is the message of the check. */
export function AllowAddress({ detail }: { detail: string | null }) {
  const host = findRefusedHost(detail ?? '')
  if (host === undefined) return null
  if (boot.user?.is_admin) return <AllowLine host={host} />
  return <p class="small">Ask the server operator to allow {host}.</p>
}

function AllowLine({ host }: { host: string }) {
  const { data, isPending } = useQuery({
    queryKey: queryKeys.privateTarget(host),
    queryFn: async ({ signal }) => {
      const path = withQuery('api/server/private-targets', { host })
      return (await api.get<ItemResponse<PrivateTargetRecord>>(path, signal)).data
    },
  })
  // The result of a test scrolls into view, so it needs its full height from the beginning.
  if (isPending) return <Skeleton height="7rem" />
  const instruction = data?.instruction
  if (!instruction) return null
  return (
    <div class="allow-address small">
      <p>To allow it, add this {instruction.where.charAt(0).toLowerCase() + instruction.where.slice(1)}</p>
      <CodeLine text={instruction.lines.join('\n')} />
      {instruction.next && <p>{instruction.next}</p>}
    </div>
  )
}
