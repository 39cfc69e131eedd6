/** The setup steps of an account or of one website. Shown until all are done or the user hides them. */
import { useState } from 'preact/hooks'
import { lazyPart } from '../../components/lazy-page.tsx'
import { readSetupListState, saveSetupListState } from '../../lib/setup-memory.ts'
import { showToast } from '../../lib/toasts.ts'
import type { SetupListProps } from './open-setup-list.tsx'

const COMPACT_HEIGHT = '7.75rem'

const load = () => import('./open-setup-list.tsx')
const OpenSetupList = lazyPart(load)
/** Above other content, the list keeps its room while it loads, so that the page doesn't move. */
const OpenSetupListWithRoom = lazyPart(load, COMPACT_HEIGHT)

/** The setup steps of a new website. */
export const WebsiteSetup = lazyPart(() => import('./website-setup.tsx'), '36rem')

/** The script and the requests of the list are only loaded for users who haven't finished the setup. */
export function SetupList(props: SetupListProps) {
  const [state, setState] = useState(readSetupListState)
  if (state === 'hidden') return null
  const change = (state: 'open' | 'hidden') => {
    saveSetupListState(state)
    setState(state)
  }
  const onHide = () => {
    change('hidden')
    showToast('Setup steps hidden.', { undo: () => change('open') })
  }
  return props.isCompact && state === 'open' ? (
    <OpenSetupListWithRoom {...props} onHide={onHide} loadingHeight={COMPACT_HEIGHT} />
  ) : (
    <OpenSetupList {...props} onHide={onHide} />
  )
}
