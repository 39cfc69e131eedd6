/** Holds a form's values, sends them, and keeps the errors of the last attempt. */
import { useRef, useState } from 'preact/hooks'
import { type ApiProblem, toApiProblem, withoutFieldErrors } from './api.ts'
import { describeFieldErrors } from './describe-field-errors.ts'

export interface Form<T> {
  values: T
  /** Changes a value and removes the errors of its field. */
  set: <K extends keyof T>(name: K, value: T[K]) => void
  setAll: (values: T | ((before: T) => T)) => void
  /** Errors of the last attempt. Nested fields are named by their path, for example `http.keyword`. */
  errorsFor: (name: string) => readonly string[] | undefined
  /** Failure of the last attempt. */
  problem: ApiProblem | undefined
  busy: boolean
  /** Handler for onSubmit. */
  submit: (event?: Event) => void
}

export function useForm<T extends object>(initial: T, send: (values: T) => Promise<void>): Form<T> {
  const [values, setAll] = useState(initial)
  const [problem, setProblem] = useState<ApiProblem>()
  const [busy, setBusy] = useState(false)
  const isSending = useRef(false)

  async function trySend(form: HTMLFormElement | undefined) {
    if (isSending.current) return
    isSending.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await send(values)
    } catch (error) {
      setProblem(toApiProblem(error))
      // Focus the first invalid field once it has been marked.
      requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    } finally {
      isSending.current = false
      setBusy(false)
    }
  }

  return {
    values,
    set: (name, value) => {
      setAll((before) => ({ ...before, [name]: value }))
      setProblem((before) => withoutFieldErrors(before, String(name)))
    },
    setAll,
    errorsFor: (name) => problem?.errors[name] && describeFieldErrors(problem.errors[name], name),
    problem,
    busy,
    submit: (event) => {
      event?.preventDefault()
      void trySend(event?.currentTarget instanceof HTMLFormElement ? event.currentTarget : undefined)
    },
  }
}
