import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { IconFile } from '../lib/logos.ts'
import './value-icon.css'

interface LogoImageProps {
  file: IconFile
  size?: number
  /** Shown if the file can't be loaded. */
  fallback: ComponentChildren
}

/**
 * A logo or flag, which is decorative. Set a key if an element can get another file, so that a failed image doesn't hide
 * the next one.
 */
export function LogoImage({ file: { path, isMonochrome }, size = 18, fallback }: LogoImageProps) {
  const [hasFailed, setFailed] = useState(false)
  if (hasFailed) return fallback
  const url = `${__ICON_FOLDER__}/${path}`
  const image = (
    <img
      class="value-icon"
      src={url}
      width={size}
      height={size}
      alt=""
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
    />
  )
  if (!isMonochrome) return image
  // The style sheet resolves relative URLs against its own address, not against the page's.
  const mask = `url("${new URL(url, document.baseURI)}")`
  return (
    <span class="value-icon value-icon-masked" style={{ '--mask': mask }}>
      {image}
    </span>
  )
}
