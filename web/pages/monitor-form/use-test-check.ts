/** A check of what stands in the form, before it is saved. */
import { useRef, useState } from 'preact/hooks'
import type { CheckRecord } from '../../../src/checker/schema.ts'
import { api, toApiProblem, type ItemResponse, type ApiProblem } from '../../lib/api.ts'
import { changesOf, type Input } from './values.ts'

/** The part that a check depends on. */
function targetOf({ url, type, interval, timeout, http }: Partial<Input>) {
  return { url, type, interval, timeout, http }
}

/** Of a kept monitor only what is different: then headers that are kept are sent as well. */
export function tryBody(input: Input, kept: { id: number; input: Input } | undefined): object {
  return kept === undefined ? targetOf(input) : { monitor_id: kept.id, ...targetOf(changesOf(kept.input, input)) }
}

export interface Trial {
  /** `make` may throw what is wrong already. */
  run: (make: () => object) => void
  busy: boolean
  /** Of what, and what came of it. */
  found: { body: object; result: CheckRecord } | undefined
  problem: ApiProblem | undefined
}

export function useTry(): Trial {
  const [busy, setBusy] = useState(false)
  const [found, setFound] = useState<Trial['found']>()
  const [problem, setProblem] = useState<ApiProblem>()
  const running = useRef(false)

  async function run(make: () => object) {
    if (running.current) return
    running.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      const body = make()
      const { data } = await api.post<ItemResponse<CheckRecord>>('api/monitors/try', body)
      setFound({ body, result: data })
    } catch (error) {
      setFound(undefined)
      setProblem(toApiProblem(error))
    } finally {
      running.current = false
      setBusy(false)
    }
  }

  return { run: (make) => void run(make), busy, found, problem }
}
