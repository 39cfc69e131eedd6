import type { WebsiteRecord } from '../../../src/websites/schema.ts'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { ProblemNotice } from '../../components/problem-notice.tsx'
import { api, type One, Problem } from '../../lib/api.ts'
import { timeZone } from '../../lib/format.ts'
import { keys, queryClient } from '../../lib/queries.ts'
import { useForm } from '../../lib/use-form.ts'

/** Its days begin when those of its owner do, unless the server does not know the name of that zone. */
async function addWebsite(domain: string): Promise<WebsiteRecord> {
  const post = (body: object) => api.post<One<WebsiteRecord>>('api/v1/websites', { domain, ...body })
  const { data } = await post({ time_zone: timeZone }).catch((problem: unknown) => {
    if (problem instanceof Problem && 'time_zone' in problem.errors) return post({})
    throw problem
  })
  return data
}

export function DomainForm({
  onAdded,
  autofocus = false,
}: {
  onAdded: (added: WebsiteRecord) => void
  autofocus?: boolean
}) {
  const { values, set, errorsOf, problem, busy, submit } = useForm({ domain: '' }, async ({ domain }) => {
    const added = await addWebsite(domain.trim())
    void queryClient.invalidateQueries({ queryKey: keys.overview })
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
      <ProblemNotice problem={problem} shown={['domain']} />
      <div class="form-actions">
        <Button kind="primary" type="submit" busy={busy}>
          Add website
        </Button>
      </div>
    </form>
  )
}
