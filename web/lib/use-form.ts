/** The values of a form, what the server said about each of them, and the sending. */
import { useRef, useState } from 'preact/hooks'
import { toApiProblem, type ApiProblem } from './api.ts'
import { describeFieldErrors } from './field-errors.ts'

export interface Form<T> {
  values: T
  set: <K extends keyof T>(name: K, value: T[K]) => void
  setAll: (values: T | ((before: T) => T)) => void
  /** Of the last attempt: by field; nested ones by their path, for instance `http.keyword`. */
  errorsOf: (name: string) => readonly string[] | undefined
  /** What is wrong with the whole, or with fields that the form does not show. */
  problem: ApiProblem | undefined
  busy: boolean
  /** For onSubmit. */
  submit: (event?: Event) => void
}

export function useForm<T extends object>(initial: T, send: (values: T) => Promise<void>): Form<T> {
  const [values, setAll] = useState(initial)
  const [problem, setProblem] = useState<ApiProblem>()
  const [busy, setBusy] = useState(false)
  const sending = useRef(false)

  async function run(form: HTMLFormElement | undefined) {
    if (sending.current) return
    sending.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await send(values)
    } catch (error) {
      setProblem(toApiProblem(error))
      // The first field that is wrong, once it has been marked.
      requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
    } finally {
      sending.current = false
      setBusy(false)
    }
  }

  return {
    values,
    set: (name, value) => setAll((before) => ({ ...before, [name]: value })),
    setAll,
    errorsOf: (name) => problem?.errors[name] && describeFieldErrors(problem.errors[name], name),
    problem,
    busy,
    submit: (event) => {
      event?.preventDefault()
      void run(event?.currentTarget instanceof HTMLFormElement ? event.currentTarget : undefined)
    },
  }
}
