import { isLoopbackHostname } from '../../src/shared/reach.ts'
import { publicUrl } from '../lib/boot.ts'
import { GoLiveNotice } from './go-live-notice.tsx'

/** Warns that the tracking snippet has an address that only this computer can reach. Shown next to the snippet. */
export function SnippetNotice() {
  const { host, hostname } = new URL(publicUrl)
  if (!isLoopbackHostname(hostname)) return null
  return (
    <GoLiveNotice needs={['url']}>
      The snippet loads its script from <code>{host}</code>, which only works on this computer. Visitors to your website
      can't reach it.
    </GoLiveNotice>
  )
}
