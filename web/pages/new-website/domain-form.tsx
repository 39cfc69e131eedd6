import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { ApiProblem, api, type ItemResponse } from '../../lib/api.ts'
import { browserTimeZone } from '../../lib/format.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'

/** Uses the time zone of the browser, or the server's default if the server doesn't know that zone. */
async function addWebsite(fields: { domain: string; privacy: 0 | 1 }): Promise<WebsiteRecord> {
  const post = (extra: object) => api.post<ItemResponse<WebsiteRecord>>('api/v1/websites', { ...fields, ...extra })
  const { data } = await post({ time_zone: browserTimeZone }).catch((problem: unknown) => {
    if (problem instanceof ApiProblem && 'time_zone' in problem.errors) return post({})
    throw problem
  })
  return data
}

const initialValues = { domain: '', isPrivate: false }

export function DomainForm({
  onAdded,
  autofocus = false,
}: {
  onAdded: (website: WebsiteRecord) => void
  autofocus?: boolean
}) {
  const { values, set, errorsFor, problem, busy, submit } = useForm(initialValues, async ({ domain, isPrivate }) => {
    const website = await addWebsite({ domain: domain.trim(), privacy: isPrivate ? 1 : 0 })
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    onAdded(website)
  })
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        label="Domain"
        hint="Subdomains such as blog.example.com are included."
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="example.com"
        required
        autofocus={autofocus}
        value={values.domain}
        errors={errorsFor('domain')}
        onValue={(value) => set('domain', value)}
      />
      <CheckField
        label="Keep statistics private"
        hint="If off, anyone with the link can view them. You can change this in the website's settings."
        checked={values.isPrivate}
        onValue={(checked) => set('isPrivate', checked)}
      />
      <ProblemNotice problem={problem} fieldsWithOwnErrors={['domain']} />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={busy}>
          Add website
        </Button>
      </div>
    </form>
  )
}
