/** The list of setup steps, and which of them are done. */
import { ArrowRight, X } from 'lucide-preact'
import { useEffect } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { Icon } from '../../components/icon.tsx'
import { Skeleton } from '../../components/states.tsx'
import { saveSetupListState } from '../../lib/setup-memory.ts'
import { isSetupComplete, type SetupStep } from '../../lib/setup-steps.ts'
import { useSetupSteps } from '../../lib/use-setup-steps.ts'
import { StepMark } from './step.tsx'
import './open-setup-list.css'

export interface SetupListProps {
  website: { id: number; domain: string } | undefined
  hasVisit: boolean
  /** Whether the step “Monitor uptime” is done. By default, it is done if the website has a monitor of its own. */
  hasMonitor?: boolean | undefined
  /** Shows only the next step until the user opens the list. */
  isCompact?: boolean
}

interface OpenSetupListProps extends SetupListProps {
  onHide: () => void
  /** The room that the list keeps while it loads. */
  loadingHeight?: string
}

export default function OpenSetupList(props: OpenSetupListProps) {
  const { website, hasVisit, hasMonitor, isCompact = false, onHide, loadingHeight } = props
  const steps = useSetupSteps(website, { hasVisit, hasMonitor })
  const isLoading = steps.some(({ isDone }) => isDone === undefined)
  const isComplete = isSetupComplete(steps)
  // Once setup is complete, the list stays hidden, and pages no longer send its requests.
  useEffect(() => {
    if (!isLoading) saveSetupListState(isComplete ? 'hidden' : 'open')
  }, [isLoading, isComplete])
  if (isLoading) return loadingHeight === undefined ? null : <Skeleton height={loadingHeight} />
  if (isComplete) return null
  const doneCount = steps.filter(({ isDone }) => isDone).length
  const nextStep = steps.find(({ isCurrent }) => isCurrent)
  return (
    <section class="panel setup-list" aria-labelledby="setup-list-title">
      <div class="panel-head">
        <h2 id="setup-list-title">
          Get started{' '}
          <span class="muted small numbers">
            {doneCount} of {steps.length} done
          </span>
        </h2>
        <button type="button" class="button button-quiet button-small" aria-label="Hide setup steps" onClick={onHide}>
          <Icon icon={X} />
        </button>
      </div>
      <progress class="setup-list-bar" max={steps.length} value={doneCount} aria-label="Steps done" />
      {isCompact ? (
        <div class="setup-list-next">
          {nextStep && (
            <p>
              <span class="muted">Next: </span>
              <StepLink step={nextStep} />
            </p>
          )}
          <details>
            <summary class="small">All steps</summary>
            <StepItems steps={steps} />
          </details>
        </div>
      ) : (
        <StepItems steps={steps} />
      )}
    </section>
  )
}

function StepLink({ step: { href, title } }: { step: SetupStep }) {
  return (
    <Link href={href} class="step-link">
      {title} <Icon icon={ArrowRight} size={14} />
    </Link>
  )
}

function StepItems({ steps }: { steps: readonly SetupStep[] }) {
  return (
    <ul class="setup-list-steps">
      {steps.map((step) => (
        <li key={step.key} class={step.isDone ? 'step-done' : undefined}>
          <StepMark isDone={step.isDone === true} />
          {step.isDone ? (
            <span class="muted">
              {step.title}
              <span class="hidden-text"> (done)</span>
            </span>
          ) : (
            <StepLink step={step} />
          )}
          {step.isOptional && !step.isDone && <span class="tag">Optional</span>}
        </li>
      ))}
    </ul>
  )
}
