import { useId } from 'preact/hooks'
import { ChannelIcon } from '../../components/channel-icon.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { type ChannelType, providerTypeLabels } from '../../lib/providers.ts'
import { providerTypeInfo, providerTypeOrder } from './type-info.ts'

export function ProviderTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  const id = useId()
  return (
    <FieldGroup legend="Channel type">
      <div class="provider-types">
        {providerTypeOrder.map((type) => (
          <label key={type} class="provider-type">
            <input
              type="radio"
              name={id}
              value={type}
              checked={value === type}
              onChange={() => onValue(type)}
              aria-describedby={`${id}-${type}`}
            />
            <ChannelIcon type={type} />
            <span class="provider-type-text">
              <strong>{providerTypeLabels[type]}</strong>
              <span class="muted small provider-type-summary" id={`${id}-${type}`}>
                {providerTypeInfo[type].summary}
                {!canSend(type) && ' · Not configured on this server'}
              </span>
            </span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}
