/** Sends a test message and shows the service's response. */
import { Send } from 'lucide-preact'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../components/button.tsx'
import { Notice, type NoticeTone } from '../../components/notice.tsx'
import { type ApiProblem, api, type ItemResponse, toApiProblem } from '../../lib/api.ts'
import { describeFieldErrors } from '../../lib/describe-field-errors.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'

interface ChannelTestResult {
  tone: NoticeTone
  text: string
}

export interface ChannelTest {
  run: () => void
  busy: boolean
  result: ChannelTestResult | undefined
}

/** `send` returns the sentence to show. */
function useTest(send: () => Promise<string>) {
  const [busy, setBusy] = useState(false)
  const [result, setResult] = useState<ChannelTestResult>()
  const [problem, setProblem] = useState<ApiProblem>()
  const isRunning = useRef(false)

  async function run() {
    if (isRunning.current) return
    isRunning.current = true
    setBusy(true)
    setResult(undefined)
    setProblem(undefined)
    try {
      setResult({ tone: 'good', text: await send() })
    } catch (error) {
      const failure = toApiProblem(error)
      setProblem(failure)
      setResult({ tone: failure.status === 429 || failure.status === 422 ? 'warn' : 'bad', text: failure.message })
    } finally {
      isRunning.current = false
      setBusy(false)
    }
  }

  return { run: () => void run(), busy, result, problem }
}

export function useChannelTest(id: number): ChannelTest {
  return useTest(async () => {
    const { data } = await api.post<ItemResponse<{ message: string }>>(`api/providers/${id}/test`)
    // A successful test clears the channel's last failure on the server, so refetch the channels.
    void queryClient.invalidateQueries({ queryKey: queryKeys.channels })
    return data.message
  })
}

export interface UnsavedTest extends ChannelTest {
  errorsFor: (field: string) => readonly string[] | undefined
}

/**
 * Tests settings that aren't saved. `validate` throws problems that the server can't find. The result disappears when the settings
 * change, because it no longer says anything about them.
 */
export function useUnsavedTest(request: object, validate: () => void): UnsavedTest {
  const requestText = JSON.stringify(request)
  const [testedText, setTestedText] = useState('')
  const { run, busy, result, problem } = useTest(async () => {
    setTestedText(requestText)
    validate()
    return (await api.post<ItemResponse<{ message: string }>>('api/providers/test', request)).data.message
  })
  const isCurrent = testedText === requestText
  return {
    run,
    busy,
    result: isCurrent ? result : undefined,
    errorsFor: (field) =>
      isCurrent && problem?.errors[field] ? describeFieldErrors(problem.errors[field], field) : undefined,
  }
}

interface TestButtonProps {
  test: ChannelTest
  name?: string
  small?: boolean
  disabled?: boolean
}

export function TestButton({ test, name, small = false, disabled = false }: TestButtonProps) {
  return (
    <Button
      needs="edit"
      small={small}
      icon={Send}
      busy={test.busy}
      disabled={disabled}
      onClick={test.run}
      aria-label={name === undefined ? undefined : `Test ${name}`}
    >
      {name === undefined ? 'Send test' : 'Test'}
    </Button>
  )
}

const titles = { good: 'Test sent.', bad: 'Test failed.', warn: 'Test not sent.' }

/** The live region is always rendered, because screen readers ignore regions that appear together with their content. */
export function TestResult({ test: { busy, result } }: { test: ChannelTest }) {
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
