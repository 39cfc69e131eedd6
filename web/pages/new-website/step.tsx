/** A numbered list of steps, each ticked off when it is done. */
import { Check } from 'lucide-preact'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../components/icon.tsx'
import './new-website.css'

export const Steps = ({ children }: { children: ComponentChildren }) => <ol class="steps">{children}</ol>

interface StepProps {
  title: ComponentChildren
  isDone: boolean
  /** Whether it is the step to do next. */
  isCurrent?: boolean
  children?: ComponentChildren
}

export function Step({ title, isDone, isCurrent = false, children }: StepProps) {
  return (
    <li class={`step${isDone ? ' step-done' : isCurrent ? ' step-current' : ''}`} aria-current={isCurrent && 'step'}>
      <StepMark isDone={isDone} />
      <div class="step-body">
        <h3 class="step-title">
          {title}
          {isDone && <span class="hidden-text"> (done)</span>}
        </h3>
        {children}
      </div>
    </li>
  )
}

/** A circle, with a tick if the step is done. Otherwise the style sheet adds the number of the step. */
export function StepMark({ isDone }: { isDone: boolean }) {
  return (
    <span class="step-mark" aria-hidden="true">
      {isDone && <Icon icon={Check} size={14} />}
    </span>
  )
}
