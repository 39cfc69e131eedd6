import { CheckCheck } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { type AccountIncident, acknowledgeIncident } from '../lib/incidents.ts'
import { showProblem } from '../lib/toasts.ts'
import { Button, type ButtonStyle } from './button.tsx'
import { focusHeading } from './page.tsx'

interface AcknowledgeButtonProps extends Pick<ButtonStyle, 'kind' | 'small'> {
  incident: Pick<AccountIncident, 'id' | 'monitor_id'>
}

/** The page removes the button when the incident is acknowledged. */
export function AcknowledgeButton({ incident, ...style }: AcknowledgeButtonProps) {
  const [isBusy, setBusy] = useState(false)
  async function acknowledge() {
    setBusy(true)
    try {
      await acknowledgeIncident(incident)
      focusHeading()
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button {...style} needs="edit" icon={CheckCheck} busy={isBusy} onClick={() => void acknowledge()}>
      Acknowledge
    </Button>
  )
}
