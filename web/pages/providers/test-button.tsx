/** Sends a test, and shows in place what the other side said. */
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { api, type ItemResponse, ApiProblem } from '../../lib/api.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'

interface Outcome {
  tone: 'good' | 'bad' | 'warn'
  text: string
}

export interface ProviderTest {
  run: () => void
  busy: boolean
  outcome: Outcome | undefined
}

export function useProviderTest(id: number): ProviderTest {
  const [busy, setBusy] = useState(false)
  const [outcome, setOutcome] = useState<Outcome>()

  async function run() {
    setBusy(true)
    setOutcome(undefined)
    try {
      const { data } = await api.post<ItemResponse<{ message: string }>>(`api/providers/${id}/test`)
      setOutcome({ tone: 'good', text: data.message })
      // What failed before is forgotten once something was taken.
      void queryClient.invalidateQueries({ queryKey: queryKeys.providers })
    } catch (error) {
      const tone = error instanceof ApiProblem && error.status === 429 ? 'warn' : 'bad'
      setOutcome({ tone, text: error instanceof Error ? error.message : `${error}` })
    } finally {
      setBusy(false)
    }
  }

  return { run: () => void run(), busy, outcome }
}

export function TestButton({ test, name, small = false }: { test: ProviderTest; name?: string; small?: boolean }) {
  return (
    <Button
      small={small}
      busy={test.busy}
      onClick={test.run}
      aria-label={name === undefined ? undefined : `Test ${name}`}
    >
      {name === undefined ? 'Send a test' : 'Test'}
    </Button>
  )
}

const titles = { good: 'The test was sent.', bad: 'The test was not delivered.', warn: 'No test was sent.' }

/** Always there, so that screen readers notice when something comes in. */
export function TestOutcome({ test: { busy, outcome } }: { test: ProviderTest }) {
  return (
    <div aria-live="polite">
      {busy && <p class="muted small">Sending. The other side has 10 seconds to answer.</p>}
      {outcome && (
        <div class={`notice notice-${outcome.tone}`}>
          <p class="providers-said">
            <strong>{titles[outcome.tone]}</strong> {outcome.text}
          </p>
        </div>
      )}
    </div>
  )
}
