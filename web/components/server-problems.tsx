import { useQuery } from '@tanstack/preact-query'
import type { ServerProblem } from '../../src/nodes/schema.ts'
import { api, type ItemResponse } from '../lib/api.ts'
import { boot } from '../lib/boot.ts'
import { queryKeys } from '../lib/queries.ts'
import { Notice } from './notice.tsx'

const REFRESH_INTERVAL_MS = 30_000

/** Shows admins, on every page, the problems of the server that only they can solve. */
export function ServerProblems() {
  return boot.user?.is_admin ? <ServerProblemsForAdmin /> : null
}

function ServerProblemsForAdmin() {
  const { data: problems = [] } = useQuery({
    queryKey: queryKeys.serverProblems,
    queryFn: async ({ signal }) => (await api.get<ItemResponse<ServerProblem[]>>('api/server/problems', signal)).data,
    refetchInterval: REFRESH_INTERVAL_MS,
  })
  // The region is on the page even while it is empty, because screen readers announce only what is added to an existing region.
  return (
    <div class="server-problems" role="status" aria-label="Server problems">
      {problems.map(({ message }) => (
        <Notice key={message} tone="bad">
          {message}
        </Notice>
      ))}
    </div>
  )
}
