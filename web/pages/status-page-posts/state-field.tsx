import type { PostState } from '../../../src/shared/status-pages.ts'
import { FieldGroup } from '../../components/field-group.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { postStateChoices } from '../../lib/status-posts.ts'

export function StateField({ value, onValue }: { value: PostState; onValue: (state: PostState) => void }) {
  return (
    <FieldGroup legend="State">
      <div class={`post-states post-states-${value}`}>
        <SegmentedControl label="State" choices={postStateChoices} value={value} onValue={onValue} />
      </div>
    </FieldGroup>
  )
}
