import { useId } from 'preact/hooks'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { type ChannelType, providerTypeLabels } from '../../lib/providers.ts'
import { providerTypeGroups, providerTypeInfo } from './type-info.ts'

const describeType = (type: ChannelType) =>
  `${providerTypeInfo[type].summary}${canSend(type) ? '' : ' · Not configured on this server'}`

export function ProviderTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  const name = useId()
  return (
    <FieldGroup legend="Channel type">
      <div class="provider-types">
        {providerTypeGroups.map(({ label, types }) => (
          <fieldset key={label} class="provider-type-group">
            <legend>{label}</legend>
            <ChoiceCards
              layout="compact"
              name={name}
              value={value}
              onValue={onValue}
              choices={types.map((type) => ({
                value: type,
                label: providerTypeLabels[type],
                hint: describeType(type),
                icon: iconByChannelType[type],
              }))}
            />
          </fieldset>
        ))}
      </div>
    </FieldGroup>
  )
}
