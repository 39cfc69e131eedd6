import { useId } from 'preact/hooks'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { providerTypeLabels, type ProviderType } from '../../lib/providers.ts'
import { kindOrder, kindWords } from './type-info.ts'

export function KindChoice({ value, onValue }: { value: ProviderType; onValue: (type: ProviderType) => void }) {
  const id = useId()
  return (
    <FieldGroup legend="How shall it reach you?">
      <div class="provider-kinds">
        {kindOrder.map((type) => (
          <label key={type} class="provider-kind">
            <input
              type="radio"
              name={id}
              value={type}
              checked={value === type}
              onChange={() => onValue(type)}
              aria-describedby={`${id}-${type}`}
            />
            <span>
              <strong>{providerTypeLabels[type]}</strong>
              <span class="muted small provider-kind-about" id={`${id}-${type}`}>
                {kindWords[type].about}
                {!canSend(type) && ' Not set up on this server yet.'}
              </span>
            </span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}
