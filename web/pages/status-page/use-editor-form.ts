/** The form of the editor: its values, the page as it was last saved, and saving. */
import { useState } from 'preact/hooks'
import { ApiProblem, api, type ItemResponse, toApiProblem } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import type { StatusPage } from '../../lib/status-pages.ts'
import { showProblem, showToast } from '../../lib/toasts.ts'
import { type Form, useForm } from '../../lib/use-form.ts'
import {
  createStatusPageValues,
  diffStatusPage,
  findLiveErrors,
  mergeSavedValues,
  type StatusPageValues,
  toStatusPageInput,
  toStatusPageValues,
} from './values.ts'

export interface EditorSectionProps {
  form: Form<StatusPageValues>
  /** The page as it was last saved. Undefined for a new page. */
  saved: StatusPage | undefined
}

/** Saves the fields that differ between `before` and `after`. */
async function updatePage(id: number, before: StatusPageValues, after: StatusPageValues): Promise<StatusPage> {
  const changes = diffStatusPage(toStatusPageInput(before), toStatusPageInput(after))
  const { data } = await api.put<ItemResponse<StatusPage>>(`api/status-pages/${id}`, changes)
  return data
}

const createPage = async (values: StatusPageValues) =>
  (await api.post<ItemResponse<StatusPage>>('api/status-pages', toStatusPageInput(values))).data

async function saveLogo(page: StatusPage, logo: NonNullable<StatusPageValues['logo']> | null): Promise<StatusPage> {
  const path = `api/status-pages/${page.id}/logo`
  try {
    if (logo !== null) return (await api.putFile<ItemResponse<StatusPage>>(path, logo.file)).data
    await api.delete(path)
    return { ...page, has_logo: false }
  } catch (error) {
    const { status, code, message, errors } = toApiProblem(error)
    const messages = Object.values(errors).flat()
    throw new ApiProblem({ status, code, message, errors: { logo: messages.length > 0 ? messages : [message] } })
  }
}

/** If the values have errors, throws the problem that the server would return. */
function requireNoLiveErrors(values: StatusPageValues): void {
  const errors = findLiveErrors(values)
  const [message] = Object.values(errors).flat()
  if (message !== undefined) throw new ApiProblem({ status: 422, code: 'validation_failed', message, errors })
}

export function useEditorForm(initialPage: StatusPage | undefined, onCreated: (page: StatusPage) => void) {
  // Keep the page as it was last saved, so that a background refetch doesn't change what the user is editing.
  const [saved, setSaved] = useState(initialPage)
  const [savedValues, setSavedValues] = useState(() =>
    initialPage ? toStatusPageValues(initialPage) : createStatusPageValues(),
  )

  function keepSaved(page: StatusPage): StatusPageValues {
    const values = toStatusPageValues(page)
    setSaved(page)
    setSavedValues(values)
    queryClient.setQueryData(queryKeys.statusPage(page.id), page)
    void queryClient.invalidateQueries({ queryKey: queryKeys.statusPageList })
    return values
  }

  const form = useForm(savedValues, async (sentValues) => {
    requireNoLiveErrors(sentValues)
    const page = saved ? await updatePage(saved.id, savedValues, sentValues) : await createPage(sentValues)
    const values = keepSaved(page)
    form.setAll((current) => mergeSavedValues(current, sentValues, { ...values, logo: sentValues.logo }))
    if (sentValues.logo !== undefined) {
      keepSaved(await saveLogo(page, sentValues.logo))
      form.setAll((current) => (current.logo === sentValues.logo ? { ...current, logo: undefined } : current))
    }
    if (initialPage === undefined) {
      showToast('Status page created.')
      return onCreated(page)
    }
    const undo = async () => {
      const undoneValues = keepSaved(await updatePage(page.id, values, savedValues))
      form.setAll((current) => mergeSavedValues(current, values, undoneValues))
    }
    // The browser doesn't know the old password or the old logo, so it can't restore them.
    const canUndo = sentValues.password === '' && sentValues.logo === undefined
    showToast('Status page saved.', canUndo ? { undo: () => void undo().catch(showProblem) } : {})
  })

  const isDirty =
    form.values.logo !== undefined ||
    JSON.stringify(toStatusPageInput(form.values)) !== JSON.stringify(toStatusPageInput(savedValues))
  const liveErrors = findLiveErrors(form.values)
  const discard = () => form.setAll(savedValues)
  return {
    form: { ...form, errorsFor: (name: string) => liveErrors[name] ?? form.errorsFor(name) },
    saved,
    isDirty,
    discard,
  }
}
