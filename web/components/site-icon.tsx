/**
 * Shows the icon of one of the user's websites. While the icon loads, and if there is none, shows the first letter of
 * the domain.
 */
import { useEffect, useState } from 'preact/hooks'
import { toDisplayHost } from '../lib/address.ts'
import { loadFavicon } from '../lib/load-favicon.ts'
import { Monogram } from './monogram.tsx'
import './site-icon.css'

export function SiteIcon({ website: { id, domain } }: { website: { id: number; domain: string } }) {
  const [icon, setIcon] = useState<{ id: number; url: string | undefined }>()
  useEffect(() => {
    let isCurrent = true
    void loadFavicon(id).then((url) => isCurrent && setIcon({ id, url }))
    return () => {
      isCurrent = false
    }
  }, [id])
  // A list reuses its elements for other websites, so the loaded icon may be that of another website.
  const url = icon?.id === id ? icon.url : undefined
  if (url === undefined) return <Monogram name={toDisplayHost(domain)} />
  return (
    <img class="site-icon" src={url} width="18" height="18" alt="" onError={() => setIcon({ id, url: undefined })} />
  )
}
