import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse } from '../../lib/api.ts'
import { queryClient, queryKeys } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'
import { withTimeZone } from '../../lib/with-time-zone.ts'

async function addWebsite(fields: { domain: string; privacy: 0 | 1 }): Promise<WebsiteRecord> {
  const post = (body: object) => api.post<ItemResponse<WebsiteRecord>>('api/v1/websites', body)
  return (await withTimeZone(post, fields)).data
}

const initialValues = { domain: '', isPrivate: true }

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
