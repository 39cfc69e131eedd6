import { useId } from 'preact/hooks'
import { iconByChannelType } from '../../components/channel-icon.tsx'
import { ChoiceCards } from '../../components/choice-cards.tsx'
import { FieldGroup } from '../../components/field-group.tsx'
import { canSend } from '../../lib/boot.ts'
import { type ChannelType, channelGroups, channelTypeLabels } from '../../lib/channels.ts'
import { channelTypeInfo } from './type-info.ts'

const describeType = (type: ChannelType) =>
  `${channelTypeInfo[type].summary}${canSend(type) ? '' : ' · Not configured on this server'}`

export function ChannelTypePicker({ value, onValue }: { value: ChannelType; onValue: (type: ChannelType) => void }) {
  const name = useId()
  return (
    <FieldGroup legend="Channel type">
      <div class="channel-types">
        {channelGroups.map(({ name: group, label, types }) => (
          <fieldset key={group} class={`channel-type-group channel-${group}`}>
            <legend>{label}</legend>
            <ChoiceCards
              layout="compact"
              name={name}
              value={value}
              onValue={onValue}
              choices={types.map((type) => ({
                value: type,
                label: channelTypeLabels[type],
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
