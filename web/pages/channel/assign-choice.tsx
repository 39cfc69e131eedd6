/** The fields that choose which existing monitors a new channel is assigned to. */
import { FieldGroup } from '../../components/field-group.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { TagInput } from '../../components/tag-input.tsx'
import { pluralize } from '../../lib/format.ts'
import { useOverview } from '../../lib/queries.ts'
import { countTags, hasTag } from '../../lib/tags.ts'

export interface AssignChoice {
  scope: 'none' | 'all' | 'tags'
  tags: readonly string[]
}

export const noAssignChoice: AssignChoice = { scope: 'none', tags: [] }

const scopes = [
  { value: 'none', label: 'Later' },
  { value: 'all', label: 'All monitors' },
  { value: 'tags', label: 'By tag' },
] as const

/** The request that assigns the channel, or undefined if there is nothing to assign. */
export function toAssignRequest({ scope, tags }: AssignChoice): object | undefined {
  if (scope === 'all') return { all_monitors: true }
  return scope === 'tags' && tags.length > 0 ? { tags } : undefined
}

function describeChoice({ scope, tags }: AssignChoice, matchingCount: number): string {
  if (scope === 'none') return 'After adding the channel, you can choose its monitors one by one.'
  if (scope === 'tags' && tags.length === 0) return ''
  return `${pluralize(matchingCount, 'monitor')} will send alerts to this channel.`
}

export function AssignChoiceFields({
  value,
  onValue,
}: {
  value: AssignChoice
  onValue: (choice: AssignChoice) => void
}) {
  const monitors = useOverview().data?.monitors ?? []
  if (monitors.length === 0) return <p class="muted">No monitors yet. You can assign this channel when you add one.</p>
  const { scope, tags } = value
  const matchingCount =
    scope === 'all'
      ? monitors.length
      : monitors.filter((monitor) => tags.some((tag) => hasTag(monitor.tags, tag))).length
  return (
    <FieldGroup legend="Existing monitors" isLegendHidden>
      <div class="channel-scope">
        <SegmentedControl
          label="Existing monitors"
          choices={scopes}
          value={scope}
          onValue={(next) => onValue({ ...value, scope: next })}
        />
      </div>
      {scope === 'tags' && (
        <TagInput
          label="Tags"
          hint="Monitors with at least one of these tags"
          value={tags}
          onValue={(next) => onValue({ ...value, tags: next })}
          suggestions={countTags(monitors).map(({ tag }) => tag)}
        />
      )}
      <p class="field-hint" role="status">
        {describeChoice(value, matchingCount)}
      </p>
    </FieldGroup>
  )
}
