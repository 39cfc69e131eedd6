import type { PostState } from '../../src/shared/status-pages.ts'
import { postStateLabels } from '../lib/status-posts.ts'
import { Icon } from './icon.tsx'
import './post-state-badge.css'

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
