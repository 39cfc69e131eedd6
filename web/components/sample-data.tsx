/** Loads, marks and removes the sample shop. */
import { FlaskConical } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { loadSampleShop, removeSampleShop } from '../lib/lazy-sample-shop.ts'
import { showProblem } from '../lib/toasts.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './sample-data.css'

/** Marks the website and the monitor of the sample shop wherever their names appear. */
export function SampleBadge() {
  return <span class="tag">Sample</span>
}

export function LoadSampleShop() {
  const { isBusy, run } = useBusy(loadSampleShop)
  return (
    <Button icon={FlaskConical} busy={isBusy} onClick={run}>
      Load sample shop
    </Button>
  )
}

/** Says that what the page shows is generated, and has a button that removes it. */
export function SampleNotice({ children }: { children?: ComponentChildren }) {
  const { isBusy, run } = useBusy(removeSampleShop)
  return (
    <div class="notice">
      <p class="sample-note">
        <Icon icon={FlaskConical} size={18} />
        <span>
          <strong>Sample shop.</strong>{' '}
          {children ?? 'Its visits, incidents and response times are generated. Totals and reports leave them out.'}
        </span>
      </p>
      <Button needs="edit" small busy={isBusy} onClick={run}>
        Remove sample shop
      </Button>
    </div>
  )
}

function useBusy(action: () => Promise<void>) {
  const [isBusy, setBusy] = useState(false)
  const run = () => {
    setBusy(true)
    void action()
      .catch(showProblem)
      .finally(() => setBusy(false))
  }
  return { isBusy, run }
}
