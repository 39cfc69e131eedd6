/** Sends a test message and shows the service's response. */
import { Send } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Notice, type NoticeTone } from '../../components/notice.tsx'
import { ApiProblem, api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'

interface ProviderTestResult {
  tone: NoticeTone
  text: string
}

export interface ProviderTest {
  run: () => void
  busy: boolean
  result: ProviderTestResult | undefined
}

export function useProviderTest(id: number): ProviderTest {
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<ProviderTestResult>()

  async function run() {
    setBusy(true)
    setResult(undefined)
    try {
      const { data } = await api.post<ItemResponse<{ message: string }>>(`api/providers/${id}/test`)
      setResult({ tone: 'good', text: data.message })
      // A successful test clears the channel's last failure.
      void queryClient.invalidateQueries({ queryKey: queryKeys.providers })
    } catch (error) {
      const tone = error instanceof ApiProblem && error.status === 429 ? 'warn' : 'bad'
      setResult({ tone, text: error instanceof Error ? error.message : `${error}` })
    } finally {
      setBusy(false)
    }
  }

  return { run: () => void run(), busy, result }
}

export function TestButton({ test, name, small = false }: { test: ProviderTest; name?: string; small?: boolean }) {
  return (
    <Button
      small={small}
      icon={Send}
      busy={test.busy}
      onClick={test.run}
      aria-label={name === undefined ? undefined : `Test ${name}`}
    >
      {name === undefined ? 'Send test' : 'Test'}
    </Button>
  )
}

const titles = { good: 'Test sent.', bad: 'Test failed.', warn: 'Test not sent.' }

/** The live region is always rendered, because screen readers ignore regions that appear together with their content. */
export function TestResult({ test: { busy, result } }: { test: ProviderTest }) {
  return (
    <div aria-live="polite">
      {busy && <p class="muted small">Sending… This can take up to 10 seconds.</p>}
      {result && (
        <Notice tone={result.tone}>
          <p>
            <strong>{titles[result.tone]}</strong> {result.text}
          </p>
        </Notice>
      )}
    </div>
  )
}
