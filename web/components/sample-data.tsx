/** Creates, marks and removes the sample website. */
import { FlaskConical } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'wouter-preact'
import type { WebsiteRecord } from '../../src/websites/schema.ts'
import { api, type ItemResponse } from '../lib/api.ts'
import { queryClient, queryKeys } from '../lib/queries.ts'
import { showProblem, showToast } from '../lib/toasts.ts'
import { withTimeZone } from '../lib/with-time-zone.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './sample-data.css'

async function createSampleData(): Promise<WebsiteRecord> {
  const put = (body: object) => api.put<ItemResponse<WebsiteRecord>>('api/sample-data', body)
  const { data } = await withTimeZone(put, {})
  await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
  return data
}

/** Marks the sample website wherever its name appears. */
export function SampleBadge() {
  return <span class="tag">Sample</span>
}

export function ExploreSampleData() {
  const [isBusy, setBusy] = useState(false)
  const [, navigate] = useLocation()
  async function create() {
    setBusy(true)
    try {
      const { domain } = await createSampleData()
      navigate(`/${domain}`)
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={FlaskConical} busy={isBusy} onClick={() => void create()}>
      <span aria-live="polite">{isBusy ? 'Generating 90 days of visits…' : 'Explore with sample data'}</span>
    </Button>
  )
}

/** Says that a website is a sample, and has a button that removes it. */
export function SampleNotice() {
  const [isBusy, setBusy] = useState(false)
  const [, navigate] = useLocation()
  async function remove() {
    setBusy(true)
    try {
      await api.delete('api/sample-data')
      navigate('/')
      await queryClient.invalidateQueries({ queryKey: queryKeys.overview })
      showToast('Sample data removed.', { undo: () => void createSampleData().catch(showProblem) })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div class="notice">
      <p class="sample-note">
        <Icon icon={FlaskConical} size={18} />
        <span>
          <strong>Sample data.</strong> These visits, incidents and response times are generated, not real.
        </span>
      </p>
      <Button small busy={isBusy} onClick={() => void remove()}>
        Remove sample data
      </Button>
    </div>
  )
}
