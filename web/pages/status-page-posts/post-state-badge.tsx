import type { PostState } from '../../../src/shared/status-pages.ts'
import { Icon } from '../../components/icon.tsx'
import { postStateLabels } from '../../lib/status-posts.ts'

/** The state in words, with its icon, on a tinted background. */
export function PostStateBadge({ state }: { state: PostState }) {
  const { label, icon } = postStateLabels[state]
  return (
    <span class={`post-state post-state-${state}`}>
      <Icon icon={icon} size={13} />
      {label}
    </span>
  )
}
