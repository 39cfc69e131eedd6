/** The status page as visitors would see it, with the unsaved changes. */
import { Monitor, Smartphone } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { PHONE_QUERY } from '../../lib/use-media-query.ts'
import { PreviewFrame } from './preview-frame.tsx'
import './preview.css'

const widths = { desktop: 1_000, phone: 375 }

const choices = [
  { value: 'desktop', label: 'Desktop', icon: Monitor },
  { value: 'phone', label: 'Phone', icon: Smartphone },
] as const

interface PreviewPaneProps {
  /** See `PreviewFrame`. Undefined until the form has its values. */
  content: string | undefined
  /** The address of the page, as visitors will see it. */
  address: string
}

export function PreviewPane({ content, address }: PreviewPaneProps) {
  const [device, setDevice] = useState<keyof typeof widths>(() =>
    matchMedia(PHONE_QUERY).matches ? 'phone' : 'desktop',
  )
  return (
    <section class="preview" aria-label="Preview">
      <div class="preview-bar">
        <span class="preview-address clip" title={address}>
          {address}
        </span>
        <SegmentedControl label="Width of the preview" choices={choices} value={device} onValue={setDevice} />
      </div>
      {content === undefined ? (
        <div class="preview-area" />
      ) : (
        <PreviewFrame content={content} width={widths[device]} isPhone={device === 'phone'} />
      )}
    </section>
  )
}
