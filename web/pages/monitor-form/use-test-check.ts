/** Runs a check with the form's current values before they are saved. */
import { useRef, useState } from 'preact/hooks'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import { type ApiProblem, api, type ItemResponse, toApiProblem, withoutFieldErrors } from '../../lib/api.ts'
import { diffMonitor, type MonitorInput } from './input.ts'
import type { SavedMonitor } from './save.ts'

/** Picks the fields that a check depends on. */
function pickCheckFields({ url, type, interval, timeout, http, tcp, dns, tls, domain }: Partial<MonitorInput>) {
  return { url, type, interval, timeout, http, tcp, dns, tls, domain }
}

/**
 * For a saved monitor, the request has its ID and the changes, so that the server adds the secret headers it has
 * stored.
 */
export function buildTestRequest(input: MonitorInput, saved: SavedMonitor | undefined): object {
  if (saved === undefined) return pickCheckFields(input)
  return { monitor_id: saved.id, ...pickCheckFields(diffMonitor(saved.input, input)) }
}

interface TestCheck {
  /** `buildRequest` may throw validation problems. */
  run: (buildRequest: () => object) => void
  busy: boolean
  /** The last result, and the request it belongs to. */
  lastRun: { request: object; result: CheckRecord } | undefined
  problem: ApiProblem | undefined
  /** Removes the errors of a field that the user has changed. */
  clearErrors: (field: string) => void
}

export function useTestCheck(): TestCheck {
  const [busy, setBusy] = useState(false)
  const [lastRun, setLastRun] = useState<TestCheck['lastRun']>()
  const [problem, setProblem] = useState<ApiProblem>()
  const isRunning = useRef(false)

  async function run(buildRequest: () => object) {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      const request = buildRequest()
      const { data } = await api.post<ItemResponse<CheckRecord>>('api/monitors/try', request)
      setLastRun({ request, result: data })
    } catch (error) {
      setLastRun(undefined)
      setProblem(toApiProblem(error))
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return {
    run: (buildRequest) => void run(buildRequest),
    busy,
    lastRun,
    problem,
    clearErrors: (field) => setProblem((before) => withoutFieldErrors(before, field)),
  }
}
