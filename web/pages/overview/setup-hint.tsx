/** The setup steps, shown until all are done or the user hides them, and a notice about sample data. */
import { ArrowRight, X } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { SampleNotice } from '../../components/sample-data.tsx'
import { boot } from '../../lib/boot.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { isSetupComplete } from '../../lib/setup-steps.ts'
import { showToast } from '../../lib/toasts.ts'
import { useSetupSteps } from '../../lib/use-setup-steps.ts'
import { StepMark } from '../new-website/step.tsx'
import './welcome.css'

interface SetupHintProps {
  websites: readonly OverviewWebsite[]
  monitors: readonly OverviewMonitor[]
}

const storageKey = `belfry-setup-hidden-${boot.user?.id}`

function readHidden(): boolean {
  try {
    return localStorage.getItem(storageKey) !== null
  } catch {
    // The browser may block localStorage.
    return false
  }
}

function saveHidden(isHidden: boolean): void {
  try {
    if (isHidden) localStorage.setItem(storageKey, 'yes')
    else localStorage.removeItem(storageKey)
  } catch {}
}

export function SetupHint({ websites, monitors }: SetupHintProps) {
  const [isHidden, setHidden] = useState(readHidden)
  const hide = (isHidden: boolean) => {
    saveHidden(isHidden)
    setHidden(isHidden)
  }
  const sampleWebsite = websites.find(({ is_sample }) => is_sample)
  const ownWebsites = websites.filter(({ is_sample }) => !is_sample)
  const ownMonitors = monitors.filter(({ is_sample }) => !is_sample)
  return (
    <>
      {sampleWebsite && <SampleNotice />}
      {!isHidden && <SetupList websites={ownWebsites} monitors={ownMonitors} onHide={hide} />}
    </>
  )
}

interface SetupListProps extends SetupHintProps {
  onHide: (isHidden: boolean) => void
}

function SetupList({ websites, monitors, onHide }: SetupListProps) {
  // Prefer a website without visits, because its setup is not finished.
  const website = websites.find(({ has_traffic }) => !has_traffic) ?? websites[0]
  const hasTraffic = websites.some(({ has_traffic }) => has_traffic)
  const steps = useSetupSteps(website, {
    snippet: hasTraffic,
    visit: hasTraffic,
    // Any monitor completes the step, even one that belongs to no website.
    monitor: monitors.length > 0,
  })
  const isLoading = steps.some(({ isDone }) => isDone === undefined)
  const isComplete = isSetupComplete(steps)
  // Once setup is complete, the hint stays hidden, and the overview no longer sends the hint's requests.
  useEffect(() => {
    if (isComplete) saveHidden(true)
  }, [isComplete])
  if (isLoading || isComplete) return null
  const doneCount = steps.filter(({ isDone }) => isDone).length
  return (
    <section class="panel setup-hint" aria-labelledby="setup-hint-title">
      <div class="panel-head">
        <h2 id="setup-hint-title">
          Get started{' '}
          <span class="muted small numbers">
            {doneCount} of {steps.length}
          </span>
        </h2>
        <button
          type="button"
          class="button button-quiet button-small"
          aria-label="Hide setup steps"
          onClick={() => {
            onHide(true)
            showToast('Setup steps hidden.', { undo: () => onHide(false) })
          }}
        >
          <Icon icon={X} />
        </button>
      </div>
      <progress class="setup-hint-bar" max={steps.length} value={doneCount} aria-label="Steps done" />
      <ul class="setup-hint-steps">
        {steps.map(({ key, title, isDone, isOptional, href }) => (
          <li key={key} class={isDone ? 'step-done' : undefined}>
            <StepMark isDone={isDone === true} />
            {isDone ? (
              <span class="muted">
                {title}
                <span class="hidden-text"> (done)</span>
              </span>
            ) : (
              <Link href={href} class="step-link">
                {title} <Icon icon={ArrowRight} size={14} />
              </Link>
            )}
            {isOptional && !isDone && <span class="tag">Optional</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
