/** Reads the API's responses about an installation, to compare them before and after a move. */
import { localDayAt } from '../../src/lib/local-day.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import type { BenchCaller } from './bench-server.ts'
import { findFreePort, serveArguments, startProcess } from './processes.ts'

/** Reads the incidents of every 997th monitor. */
const MONITOR_STEP = 997

interface Incident {
  status: string
  duration_seconds: number
}

function listOverviewPaths(websiteId: number): string[] {
  const today = localDayAt('UTC', Date.now()).startsAt
  const formatDay = (daysAgo: number) => new Date(today - daysAgo * DAY_MS).toISOString().slice(0, 10)
  const ranges = [`from=${formatDay(1)}&to=${formatDay(1)}`, `from=${formatDay(7)}&to=${formatDay(1)}`]
  const month = `from=${formatDay(30)}&to=${formatDay(1)}`
  return [...ranges, `${month}&compare=previous`, `${month}&filter=device:mobile`].map(
    (query) => `/api/v1/stats/${websiteId}/overview?${query}`,
  )
}

/** Starts a server without jobs and checks, because these would change the data. */
export async function readResponses(
  env: Record<string, string>,
  caller: BenchCaller,
  { websiteId, monitorCount }: { websiteId: number; monitorCount: number },
): Promise<string[]> {
  const port = await findFreePort()
  const settings = { BELFRY_ROLES: 'web', BELFRY_RATE_LIMIT: '0', BELFRY_FAVICONS: 'off', ...env }
  const server = await startProcess(serveArguments, port, settings)
  const fetchText = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: caller.headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }
  try {
    const responses: string[] = []
    for (const path of listOverviewPaths(websiteId)) responses.push(await fetchText(path))
    const lastPage = Math.ceil(monitorCount / 100)
    for (const page of [1, lastPage]) responses.push(await fetchText(`/api/monitors?pageSize=100&page=${page}`))
    for (let id = 1; id <= monitorCount; id += MONITOR_STEP) {
      const { data } = JSON.parse(await fetchText(`/api/monitors/${id}/incidents?window=1y`)) as {
        data: Incident[]
      }
      // The duration of an ongoing incident grows while this benchmark runs, so it is not compared.
      responses.push(
        JSON.stringify(
          data.map((incident) => (incident.status === 'open' ? { ...incident, duration_seconds: 0 } : incident)),
        ),
      )
    }
    return responses
  } finally {
    await server.stop()
  }
}
