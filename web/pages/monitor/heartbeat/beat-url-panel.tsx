/** The URL that a job calls, and commands that call it. */
import { useState } from 'preact/hooks'
import type { MonitorRecord } from '../../../../src/monitors/schema.ts'
import { CodeLine } from '../../../components/copy-button.tsx'
import { Panel } from '../../../components/page.tsx'
import { SegmentedControl } from '../../../components/segmented-control.tsx'
import { createBeatSnippets } from './snippets.ts'

export function BeatUrlPanel({ monitor, isWaiting }: { monitor: MonitorRecord; isWaiting: boolean }) {
  const snippets = createBeatSnippets(monitor.url, monitor.heartbeat?.cron ?? null)
  const [name, setName] = useState('curl')
  const snippet = snippets.find((each) => each.name === name)
  return (
    <Panel title="Report from your job">
      <div class="stack">
        {isWaiting && (
          <p role="status" class="row">
            <span class="spinner" aria-hidden="true" />
            <strong>Waiting for the first beat</strong>
            <span class="muted">Call the URL once to try it. This page updates automatically.</span>
          </p>
        )}
        <div class="field">
          <span class="muted small">
            Your job calls this URL. Anyone who knows it can send beats, so treat it like a password.
          </span>
          <CodeLine text={monitor.url} label="Copy" />
        </div>
        <div class="monitor-snippets">
          <SegmentedControl
            label="Where the job runs"
            choices={snippets.map((each) => ({ value: each.name, label: each.name }))}
            value={name}
            onValue={setName}
          />
        </div>
        {snippet && (
          <div class="field">
            <span class="muted small">{snippet.note}</span>
            <CodeLine text={snippet.text} label="Copy" />
          </div>
        )}
      </div>
    </Panel>
  )
}
