import { useId } from 'preact/hooks'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { type ChannelType, channelGroups, providerTypeLabels } from '../../lib/providers.ts'
import { providerTypeInfo } from './type-info.ts'

const describeType = (type: ChannelType) =>
  `${providerTypeInfo[type].summary}${canSend(type) ? '' : ' · Not configured on this server'}`

export function ProviderTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  const name = useId()
  return (
    <FieldGroup legend="Channel type">
      <div class="provider-types">
        {channelGroups.map(({ name: group, label, types }) => (
          <fieldset key={group} class={`provider-type-group channel-${group}`}>
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
      <p class="field-hint" aria-hidden="true">
        {describeType(value)}
      </p>
    </FieldGroup>
  )
}
