import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import { Button } from '../../components/button.tsx'
import { CheckResult } from '../../components/check-result.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { showToast } from '../../components/toasts.tsx'
import { useUnsavedGuard } from '../../components/unsaved-guard.tsx'
import { describeFieldErrors } from '../../lib/field-errors.ts'
import { goBack, goBackPast } from '../../lib/go-back.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { shownFields } from './fields.ts'
import { MoreSettings } from './advanced-settings.tsx'
import { type Kept, requireReadable, saveMonitor } from './save.ts'
import { TargetPanel } from './target-panel.tsx'
import { saveTold } from './channel-assignments.ts'
import { ToldPanel } from './channels-panel.tsx'
import { tryBody, useTry } from './use-test-check.ts'
import { inputOf, type Values } from './values.ts'

/** `id`: of the monitor that is changed; without it a new one is made. */
export function MonitorForm({ id, initial: given }: { id?: number; initial: Values }) {
  // What is asked for again meanwhile changes nothing under somebody's hands.
  const [initial] = useState(given)
  const [, navigate] = useLocation()
  const element = useRef<HTMLFormElement>(null)
  const [told, setTold] = useState<readonly number[]>()
  const kept = useRef<Kept | undefined>(id === undefined ? undefined : { id, input: inputOf(initial) })
  const trial = useTry()
  const [last, setLast] = useState<'save' | 'try'>('save')

  const form = useForm(initial, async (values) => {
    setLast('save')
    requireReadable(values)
    const input = inputOf(values)
    const savedId = await saveMonitor(input, kept.current)
    // If the rest fails, another attempt goes on from here and makes no second one.
    kept.current = { id: savedId, input }
    if (told !== undefined) await saveTold(savedId, told)
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    void queryClient.invalidateQueries({ queryKey: queryKeys.monitor(savedId) })
    void queryClient.invalidateQueries({ queryKey: queryKeys.providers })
    showToast(id === undefined ? 'The monitor was created.' : 'The changes were saved.')
    const show = () => navigate(`/monitors/${savedId}`, { replace: true })
    if (id === undefined) show()
    else await goBackPast(`/monitors/${id}/edit`, show)
  })

  const isDirty = told !== undefined || JSON.stringify(form.values) !== JSON.stringify(initial)
  const guard = useUnsavedGuard(isDirty)
  const problem = last === 'try' ? trial.problem : form.problem
  const errorsOf = (field: string) => describeFieldErrors(problem?.errors[field], field)
  const body = tryBody(inputOf(form.values), kept.current)
  const part = { form, errorsOf }

  useEffect(() => {
    if (trial.problem) element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [trial.problem])

  return (
    <>
      <form class="stack" onSubmit={form.submit} ref={element} noValidate>
        <TargetPanel {...part} />
        <MoreSettings {...part} />
        <ToldPanel monitorId={id} chosen={told} onChosen={setTold} />
        <div class="stack" aria-live="polite">
          {trial.busy && <p class="muted">Trying. This may take as long as the timeout.</p>}
          {trial.found && !trial.busy && (
            <CheckResult result={trial.found.result}>
              {JSON.stringify(trial.found.body) !== JSON.stringify(body) && (
                <p class="small">You have changed something since this try.</p>
              )}
            </CheckResult>
          )}
        </div>
        <ProblemNotice problem={problem} shown={shownFields} />
        <div class="form-actions">
          <Button kind="primary" type="submit" busy={form.busy}>
            {id === undefined ? 'Create monitor' : 'Save changes'}
          </Button>
          <Button
            busy={trial.busy}
            onClick={() => {
              setLast('try')
              trial.run(() => {
                requireReadable(form.values)
                return body
              })
            }}
          >
            Try it
          </Button>
          <Button
            kind="quiet"
            onClick={() =>
              guard.leave(() => goBack(() => navigate(id === undefined ? '/monitors' : `/monitors/${id}`)))
            }
          >
            Cancel
          </Button>
        </div>
      </form>
      {guard.dialog}
    </>
  )
}
