import { FlaskConical } from 'lucide-preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { CheckResult } from '../../components/check-result.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { useUnsavedGuard } from '../../components/use-unsaved-guard.tsx'
import { describeFieldErrors } from '../../lib/describe-field-errors.ts'
import { pluralize } from '../../lib/format.ts'
import { goBack, goBackPast } from '../../lib/go-back.ts'
import { isProbed } from '../../lib/monitor-types.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { useForm } from '../../lib/use-form.ts'
import { AdvancedSettings } from './advanced-settings.tsx'
import { type ChannelDelays, saveChannels } from './channel-assignments.ts'
import { ChannelsPanel } from './channels-panel.tsx'
import { monitorFields } from './fields.ts'
import { mustReenterHeaders, toMonitorInput } from './input.ts'
import { requireUniqueHeaders, type SavedMonitor, saveMonitor } from './save.ts'
import { TargetPanel } from './target-panel.tsx'
import { buildTestRequest, useTestCheck } from './use-test-check.ts'
import { getTimeoutSeconds, type MonitorFormValues } from './values.ts'

/** Edits the monitor with this `id`, or creates a monitor if `id` is undefined. */
export function MonitorForm({ id, initial: initialProp }: { id?: number; initial: MonitorFormValues }) {
  // Keep the first value, so that a background refetch doesn't change what the user is editing.
  const [initial] = useState(initialProp)
  const [, navigate] = useLocation()
  const formElement = useRef<HTMLFormElement>(null)
  const resultElement = useRef<HTMLDivElement>(null)
  const [channels, setChannels] = useState<ChannelDelays>()
  const savedMonitor = useRef<SavedMonitor | undefined>(
    id === undefined ? undefined : { id, input: toMonitorInput(initial) },
  )
  const test = useTestCheck()
  const [lastAction, setLastAction] = useState<'save' | 'test'>('save')

  const form = useForm(initial, async (values) => {
    setLastAction('save')
    requireUniqueHeaders(values)
    const input = toMonitorInput(values)
    const savedId = await saveMonitor(input, savedMonitor.current)
    // If saving the channels fails, the next attempt updates this monitor instead of creating a second one.
    savedMonitor.current = { id: savedId, input }
    if (channels !== undefined) await saveChannels(savedId, channels)
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(savedId) })
    void queryClient.invalidateQueries({ queryKey: queryKeys.channels })
    showToast(id === undefined ? 'Monitor added.' : 'Changes saved.')
    const showMonitor = () => navigate(`/monitors/${savedId}`, { replace: true })
    if (id === undefined) showMonitor()
    else await goBackPast(`/monitors/${id}/edit`, showMonitor)
  })

  const isDirty = channels !== undefined || JSON.stringify(form.values) !== JSON.stringify(initial)
  const guard = useUnsavedGuard(isDirty)
  const problem = lastAction === 'test' ? test.problem : form.problem
  const errorsFor = (field: string) => describeFieldErrors(problem?.errors[field], field)
  const errorsIn = (field: string) =>
    Object.keys(problem?.errors ?? {})
      .filter((path) => path === field || path.startsWith(`${field}.`))
      .flatMap(errorsFor)
  const setField: typeof form.set = (name, value) => {
    // A field that loses the focus without a change keeps its error. Removing the error would move the button that the
    // user is clicking.
    if (Object.is(form.values[name], value)) return
    form.set(name, value)
    test.clearErrors(name)
  }
  const input = toMonitorInput(form.values)
  const testRequest = buildTestRequest(input, savedMonitor.current)
  const sectionProps = {
    form: { ...form, set: setField },
    errorsFor,
    errorsIn,
    mustReenterHeaders: mustReenterHeaders(savedMonitor.current?.input, input),
  }

  useEffect(() => {
    if (test.problem) formElement.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [test.problem])
  // The Run test button stays in view, but its result may appear far below. So scroll to the result.
  useEffect(() => {
    if (test.busy || test.lastRun) resultElement.current?.scrollIntoView({ block: 'nearest' })
  }, [test.busy, test.lastRun])

  return (
    <>
      <form class="sections" onSubmit={form.submit} ref={formElement} noValidate>
        <TargetPanel {...sectionProps} />
        <AdvancedSettings {...sectionProps} monitorId={id} />
        <ChannelsPanel monitorId={id} type={form.values.type} selected={channels} onSelect={setChannels} />
        <div class="monitor-form-result" aria-live="polite" ref={resultElement}>
          {test.busy && (
            <p class="muted">
              Running test… This can take up to {pluralize(getTimeoutSeconds(form.values), 'second')}.
            </p>
          )}
          {test.lastRun && !test.busy && (
            <CheckResult result={test.lastRun.result} type={form.values.type}>
              {JSON.stringify(test.lastRun.request) !== JSON.stringify(testRequest) && (
                <p class="small">You've changed settings since this test.</p>
              )}
            </CheckResult>
          )}
        </div>
        <div class="form-bar">
          <ProblemNotice problem={problem} fieldsWithOwnErrors={monitorFields} />
          <div class="form-actions">
            <Button kind="primary" type="submit" busy={form.busy}>
              {id === undefined ? 'Add monitor' : 'Save changes'}
            </Button>
            {isProbed(form.values.type) && (
              <Button
                icon={FlaskConical}
                busy={test.busy}
                onClick={() => {
                  setLastAction('test')
                  test.run(() => {
                    requireUniqueHeaders(form.values)
                    return testRequest
                  })
                }}
              >
                Run test
              </Button>
            )}
            <Button
              kind="quiet"
              onClick={() =>
                guard.leave(() => goBack(() => navigate(id === undefined ? '/monitors' : `/monitors/${id}`)))
              }
            >
              Cancel
            </Button>
          </div>
        </div>
      </form>
      {guard.dialog}
    </>
  )
}
