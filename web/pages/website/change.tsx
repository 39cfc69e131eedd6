/** Shows how much a figure has changed, and whether that is good. */
import { ArrowDown, ArrowRight, ArrowUp } from 'lucide-preact'
import { judgeChange } from '../../../src/shared/judge-change.ts'
import { Icon } from '../../components/icon.tsx'
import { formatPercentage } from '../../lib/format.ts'
import { figures, isCountFigure, type MetricName } from './metrics.ts'

interface ChangeProps {
  name: MetricName
  /** null without an earlier value. */
  percent: number | null
  previous: number | null | undefined
  /** Whether there is too little data to call the change good or bad. */
  isTooEarly?: boolean
}

/** The arrow shows the direction, and the colour whether the change is good. Screen readers read a text instead. */
export function Change({ name, percent, previous, isTooEarly = false }: ChangeProps) {
  if (percent === null) return null
  const { isLowerBetter = false } = figures[name]
  const figure = { percent, previous: previous ?? 0, isCount: isCountFigure(name), isLowerBetter }
  const verdict = isTooEarly ? 'neutral' : judgeChange(figure)
  const roundedPercent = Math.round(percent)
  const amount = formatPercentage(Math.abs(roundedPercent))
  const text = roundedPercent === 0 ? 'unchanged' : `${amount} ${roundedPercent > 0 ? 'higher' : 'lower'}`
  return (
    <span class={`website-change website-change-${verdict} numbers`}>
      <Icon icon={roundedPercent === 0 ? ArrowRight : roundedPercent > 0 ? ArrowUp : ArrowDown} size={12} />
      <span aria-hidden="true">{amount}</span>
      <span class="hidden-text"> {text}</span>
    </span>
  )
}
