import { Link } from 'wouter-preact'
import { CodeLine } from '../../components/copy-button.tsx'
import { Panel } from '../../components/page.tsx'
import { publicUrl } from '../../lib/boot.ts'

const buildCommand = () =>
  `curl -fsS ${publicUrl}/api/maintenances -H "Authorization: Bearer $BELFRY_KEY" -d title=Deploy -d duration_seconds=900 -d all_monitors=true`

/** A command that starts a maintenance from a script. */
export function DeployScript() {
  return (
    <Panel title="From a deploy script">
      <div class="maintenance-script">
        <p class="muted">
          Starts a maintenance of 15 minutes. To choose monitors by tag, replace <code>all_monitors=true</code> with{' '}
          <code>tags=shop</code>. <Link href="/keys">Create an API key</Link> that can change monitors, and set{' '}
          <code>BELFRY_KEY</code> to this key.
        </p>
        <CodeLine text={buildCommand()} />
      </div>
    </Panel>
  )
}
