/** Says, where something doesn't work yet, which setting of the server is missing. */
import type { ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'
import { SERVER_SETTINGS_PATH } from '../lib/address.ts'
import { boot, canSend } from '../lib/boot.ts'
import { Notice } from './notice.tsx'

/** What a feature needs from the server: its public URL for links, and a mail server. */
type GoLiveNeed = 'url' | 'mail'

const needLabels: Record<GoLiveNeed, string> = { url: 'the public URL', mail: 'the mail server' }

const isMet = (need: GoLiveNeed) => (need === 'url' ? boot.base_url != null : canSend('email'))

const listMissingNeeds = (needs: readonly GoLiveNeed[]) => needs.filter((need) => !isMet(need))

interface GoLiveNoticeProps {
  needs: readonly GoLiveNeed[]
  /** What doesn't work without them, as a sentence. */
  children: ComponentChildren
}

/** Shows nothing if the server has everything that the feature needs. */
export function GoLiveNotice({ needs, children }: GoLiveNoticeProps) {
  const missing = listMissingNeeds(needs)
  if (missing.length === 0) return null
  const missingText = missing.map((need) => needLabels[need]).join(' and ')
  return (
    <Notice tone="warn">
      <p>
        {children}{' '}
        {boot.user?.is_admin ? (
          <>
            Set {missingText} in the <Link href={SERVER_SETTINGS_PATH}>server settings</Link>.
          </>
        ) : (
          `Ask an admin to set ${missingText}.`
        )}
      </p>
    </Notice>
  )
}
