/** The setup steps, shown until all are done or the user hides them, and a notice about sample data. */
import { ArrowRight, X } from 'lucide-preact'
import { useEffect, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { SampleNotice } from '../../components/sample-data.tsx'
import { boot } from '../../lib/boot.ts'
import type { OverviewMonitor, OverviewWebsite } from '../../lib/queries.ts'
import { showToast } from '../../lib/toasts.ts'
import { StepMark } from '../new-website/step.tsx'
import { type SetupStep, useNextSteps } from '../new-website/use-next-steps.ts'
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
  const ownMonitors = monitors.filter(({ website_id }) => website_id === null || website_id !== sampleWebsite?.id)
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
  const nextSteps = useNextSteps(website)
  const hasTraffic = websites.some(({ has_traffic }) => has_traffic)
  const steps: SetupStep[] = [
    { title: 'Add a website', isDone: websites.length > 0, href: '/websites/new' },
    {
      title: 'Install the tracking snippet',
      isDone: hasTraffic,
      href: website ? `/${website.domain}` : '/websites/new',
    },
    { title: 'Receive the first visit', isDone: hasTraffic, href: website ? `/${website.domain}` : '/websites/new' },
    // Any monitor completes the step, even one that belongs to no website.
    ...nextSteps.map((step) => (step.key === 'monitor' ? { ...step, isDone: monitors.length > 0 } : step)),
  ]
  const isLoading = steps.some(({ isDone }) => isDone === undefined)
  const isComplete = steps.every(({ isDone, isOptional }) => isDone || isOptional)
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
        {steps.map(({ title, isDone, isOptional, href }) => (
          <li key={title} class={isDone ? 'step-done' : undefined}>
            <StepMark isDone={isDone === true} />
            {isDone ? (
              <span class="muted">
                {title}
                <span class="hidden-text"> (done)</span>
              </span>
            ) : (
              <Link href={href} class="step-link">
                {title}
                {isOptional && <span class="tag">Optional</span>} <Icon icon={ArrowRight} size={14} />
              </Link>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
