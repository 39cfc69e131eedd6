import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { CheckField, TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type ItemResponse, ApiProblem } from '../../lib/api.ts'
import { browserTimeZone } from '../../lib/format.ts'
import { queryKeys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'

/** Its days begin when those of its owner do, unless the server does not know the name of that zone. */
async function addWebsite(fields: { domain: string; privacy: 0 | 1 }): Promise<WebsiteRecord> {
  const post = (more: object) => api.post<ItemResponse<WebsiteRecord>>('api/v1/websites', { ...fields, ...more })
  const { data } = await post({ time_zone: browserTimeZone }).catch((problem: unknown) => {
    if (problem instanceof ApiProblem && 'time_zone' in problem.errors) return post({})
    throw problem
  })
  return data
}

const initial = { domain: '', isPrivate: false }

export function DomainForm({
  onAdded,
  autofocus = false,
}: {
  onAdded: (added: WebsiteRecord) => void
  autofocus?: boolean
}) {
  const { values, set, errorsOf, problem, busy, submit } = useForm(initial, async ({ domain, isPrivate }) => {
    const added = await addWebsite({ domain: domain.trim(), privacy: isPrivate ? 1 : 0 })
    void queryClient.invalidateQueries({ queryKey: queryKeys.overview })
    onAdded(added)
  })
  return (
    <form class="form" onSubmit={submit}>
      <TextField
        label="Domain"
        hint="What is below it, such as blog.example.com, counts with it."
        inputMode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
        placeholder="example.com"
        required
        autofocus={autofocus}
        value={values.domain}
        errors={errorsOf('domain')}
        onValue={(value) => set('domain', value)}
      />
      <CheckField
        label="Only I may see its statistics"
        hint="Otherwise they are public: anybody who knows their address may look. You can change it in the settings."
        checked={values.isPrivate}
        onValue={(checked) => set('isPrivate', checked)}
      />
      <ProblemNotice problem={problem} shown={['domain']} />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={busy}>
          Add website
        </Button>
      </div>
    </form>
  )
}
