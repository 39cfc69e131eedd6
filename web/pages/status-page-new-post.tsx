/** The form for a new post on a status page. `?monitor=3&state=resolved` fills in what is known about an incident. */
import { useSearchParams } from 'wouter-preact'
import { postStates } from '../../src/shared/status-pages.ts'
import { listPageMonitors, type StatusPage } from '../lib/status-pages.ts'
import { StatusPageFrame } from './status-page/frame.tsx'
import { NewPostForm, type NewPostValues } from './status-page-posts/new-post-form.tsx'
import { createIncidentTitle } from './status-page-posts/starters.ts'
import './status-page-posts/posts.css'
import './status-page-posts/post-form.css'
import './status-page-posts/post-page.css'

export default function NewStatusPostPage({ pageId }: { pageId: number }) {
  const [params] = useSearchParams()
  return (
    <StatusPageFrame pageId={pageId} title="Write post">
      {(page) => <NewPostForm page={page} initial={createValues(page, params)} />}
    </StatusPageFrame>
  )
}

function createValues(page: StatusPage, params: URLSearchParams): NewPostValues {
  const state = postStates.find((state) => state === params.get('state')) ?? 'investigating'
  const monitor = listPageMonitors(page).find(({ monitor_id }) => monitor_id === Number(params.get('monitor')))
  return {
    title: monitor ? createIncidentTitle(monitor.label, state === 'resolved') : '',
    state,
    body: '',
    monitor_ids: monitor ? [monitor.monitor_id] : [],
    notify: true,
  }
}
