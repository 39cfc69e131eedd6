import { iconByChannelType } from '../../components/channel-icon.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { type ChannelType, providerTypeLabels } from '../../lib/providers.ts'
import { providerTypeInfo, providerTypeOrder } from './type-info.ts'

const describeType = (type: ChannelType) =>
  `${providerTypeInfo[type].summary}${canSend(type) ? '' : ' · Not configured on this server'}`

export function ProviderTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  return (
    <FieldGroup legend="Channel type">
      <ChoiceCards
        layout="grid"
        value={value}
        onValue={onValue}
        choices={providerTypeOrder.map((type) => ({
          value: type,
          label: providerTypeLabels[type],
          hint: describeType(type),
          icon: iconByChannelType[type],
        }))}
      />
    </FieldGroup>
  )
}
