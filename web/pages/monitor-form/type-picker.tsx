import { type CreatableMonitorType, creatableMonitorTypes } from '../../../src/shared/monitors.ts'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { monitorTypeInfo } from '../../lib/monitor-types.ts'

const typeSentences: Record<CreatableMonitorType, string> = {
  http: 'Sends an HTTP request and checks the response: its status, text, JSON and speed.',
  ping: 'Pings a host and waits for a reply.',
  tcp: 'Connects to a port, and can check what the server sends.',
  dns: 'Looks up the records of a name, and can compare them with the ones you expect.',
  tls: 'Checks a certificate, and sends alerts on the days you choose before it expires.',
  domain: 'Asks the registry when the domain expires, and sends alerts on the days you choose before that.',
  heartbeat: 'Waits for a request from your job, and sends an alert if the job is late or fails.',
}

interface TypePickerProps {
  value: CreatableMonitorType
  errors: readonly string[]
  onValue: (type: CreatableMonitorType) => void
}

export function TypePicker({ value, errors, onValue }: TypePickerProps) {
  return (
    <FieldGroup legend="Type" errors={errors}>
      <ChoiceCards
        layout="compact"
        value={value}
        onValue={onValue}
        choices={creatableMonitorTypes.map((type) => {
          const { label, description, icon } = monitorTypeInfo[type]
          return { value: type, label, hint: description, icon }
        })}
      />
      <p class="field-hint">{typeSentences[value]}</p>
    </FieldGroup>
  )
}
